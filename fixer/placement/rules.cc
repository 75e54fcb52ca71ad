// Which release behaves how. Sources: the packages' own files. transformers' modeling_utils.py,
// integrations/accelerate.py and quantizers were compared function by function in the last release of every minor
// version from 4.30 to 5.24 and in the first one of those that changed something; only FP8 (5.10.1) and MXFP4 (4.55.1)
// changed between patches. "Seen": run with the first release named.
#include "fixer/placement/rules.h"

namespace whyfail::fixer {

namespace {

using kb::Release;

// accelerate/utils/modeling.py; read in every minor release from 0.20 to 1.15, every change at the release it came
// with.
void accelerate_rules(const Release& accelerate, Rules& rules) {
  const auto before = [&](int major, int minor) { return accelerate < Release{major, minor, 0}; };
  // convert_file_size_to_int
  rules.whole_number_sizes = before(0, 22);
  rules.zero_size_refused = !before(0, 22) && before(0, 28);
  // get_max_memory
  rules.budgets_sorted_and_checked = !before(0, 22);
  rules.unusable_gpu_is_error = before(0, 31);
  rules.integrated_gpu_takes_ram = !before(1, 15);
  // compute_module_sizes
  rules.integers_keep_width = !before(0, 27);
  // get_balanced_memory
  rules.balanced_devices = before(1, 6)    ? BalancedDevices::cuda
                           : before(1, 15) ? BalancedDevices::cuda_or_mps
                                           : BalancedDevices::numbers_or_mps;
  rules.balances_only_beside_cuda = before(0, 23);
  rules.balances_over_no_device = before(0, 23);
  rules.takes_tenth_of_single_gpu = !before(0, 22);
  rules.low_zero_of_single_gpu = before(0, 21);
  rules.low_zero_empties_gpu_0 = before(0, 21);
  rules.caps_every_number = before(0, 22);
  // find_tied_parameters
  rules.tie_groups_from_set = !before(0, 34);
  // infer_auto_device_map
  rules.engine = before(1, 2) ? Engine::size_first : Engine::ties_first;
  rules.ties_by_plain_substring = before(0, 26);
  rules.partner_by_substring = before(1, 3);  // get_module_size_with_ties in 1.2, which has the new walk already
  rules.bare_buffer_must_fit = before(0, 28);
  rules.disk_is_main_device = before(0, 22);
  rules.warns_of_buffers = !before(0, 28);
}

// transformers/modeling_utils.py and, from 5.0, integrations/accelerate.py: from a strategy to the map.
template <typename From>
void strategy_rules(const From& from, Rules& rules) {
  rules.own_max_memory = from(5, 4);
  rules.ties_before_balancing = from(4, 50);
  rules.sequential_takes_given = !from(4, 33);
  rules.cpu_share = from(5, 4) ? CpuShare::in_max_memory : from(5, 0) ? CpuShare::after_balancing : CpuShare::none;
  // 4.50.3 has no such step, 4.52.4 has; seen in 4.53.3, not in 4.51.3
  rules.unused_memory = from(5, 4)    ? UnusedMemory::in_max_memory
                        : from(4, 52) ? UnusedMemory::after_balancing
                                      : UnusedMemory::ignored;
  rules.block_is_largest_instance = from(5, 14);
  rules.leaf_is_largest = from(5, 18);
  // The class's list, and from 4.35 the lists of all model classes below it; from 4.50 none is required (__init__).
  rules.no_split_required = !from(4, 50);
  rules.modelclass_typo = !from(4, 35);
}

// transformers/modeling_utils.py from_pretrained; integrations/accelerate.py check_and_set_device_map
template <typename From>
void argument_rules(const From& from, Rules& rules) {
  rules.cuda_becomes_cuda_0 = from(5, 0);
  rules.low_cpu_mem_usage_required = !from(4, 51);
  rules.low_cpu_mem_usage_names_tp_plan = from(4, 50);
  rules.tied_names_must_be_covered = !from(5, 0);
}

// Reading the weights and dispatching: modeling_utils.py from_pretrained, _load_pretrained_model and tie_weights.
template <typename From>
void loading_rules(const From& from, const Release& accelerate, Rules& rules) {
  const auto accelerate_before = [&](int major, int minor) { return accelerate < Release{major, minor, 0}; };
  if (from(4, 52)) rules.pickle_needs_torch = Release{2, 6, 0};
  rules.covers_by_pattern = from(5, 0);
  rules.root_key_misses_disk_index = !from(4, 34);
  rules.root_on_disk_unreadable = from(4, 50) && !from(5, 0);
  rules.empty_map_is_key_error = from(4, 50);
  rules.skips_dispatch_of_single_value = from(5, 0);
  rules.dispatches_disk_always = from(5, 13);  // modeling_utils.py from_pretrained
  rules.compares_duplicates = from(5, 4);      // tie_weights; from 5.13 it passes over two that are on the meta device
  rules.compares_duplicates_on_disk = from(5, 4) && !from(5, 13);
  rules.bias_tied_late = !from(4, 31);
  // accelerate/big_modeling.py dispatch_model and hooks.py
  rules.dispatch_needs_offload_folder = accelerate_before(0, 22);  // utils/offload.py OffloadedWeightsLoader
  rules.whole_model_on_disk_is_index_error = accelerate_before(0, 21);
  rules.whole_model_on_disk_refused = accelerate_before(1, 15);
  rules.one_meta_makes_ties_meta = accelerate_before(0, 25);
  rules.detach_loses_module = accelerate_before(0, 23);  // AlignDevicesHook.detach_hook returns nothing
}

// transformers/quantizers/quantizer_bnb_4bit.py, quantizer_bnb_8bit.py; from_pretrained itself to 4.37
template <typename From>
void quantization_rules(const From& from, const Release& accelerate, Rules& rules) {
  rules.bitsandbytes_is_quantizer = from(4, 38);
  rules.bitsandbytes_strict = from(5, 0);
  // The condition came with 4.45 and asks whether bitsandbytes has several backends, which its releases have from 0.46
  // on; seen with 4.57.6, not with 4.53.3.
  rules.bitsandbytes_all_on_cpu_passes = from(4, 54);
  rules.bitsandbytes_second_check = !from(5, 0);
  // Seen in 5.0.0 and 5.5.0 with bitsandbytes 0.49.2: Int8Params.__new__() and Params4bit.__new__() are given
  // `_is_hf_initialized`; 5.10.0 with accelerate 1.14, whose set_module_tensor_to_device takes it off first, loads.
  rules.offloaded_int8_weights_load = !from(5, 0) || (from(5, 10) && accelerate >= Release{1, 14, 0});
  rules.offload_flag_named_llm_int8 = (from(4, 40) && !from(4, 41)) || from(4, 46);
  // modeling_utils.py from_pretrained, use_keep_in_fp32_modules: 4.30.2 to 4.57.6; 5.23.0 kept T5's in bfloat16
  rules.bitsandbytes_upcasts = !from(5, 0);
  rules.final_norm_not_converted = from(4, 50) && !from(5, 0);
  rules.unconverted_by_suffix = from(5, 0);
  rules.unconverted_needs_boundary = from(5, 21);
  // quantizer_finegrained_fp8.py update_tp_plan: `layer_overrides.get` without the default that 5.17 added
  rules.fp8_fails_with_parallel_plan = from(5, 16) && !from(5, 17);
}

}  // namespace

Rules rules_for(const Release& transformers, const Release& accelerate) {
  Rules rules;
  rules.transformers = transformers;
  rules.accelerate = accelerate;
  accelerate_rules(accelerate, rules);
  const auto from = [&](int major, int minor) { return transformers >= Release{major, minor, 0}; };
  rules.own_allocator = from(5, 0);
  rules.tree_era = from(5, 0) ? 5 : 4;
  rules.default_dtype_is_auto = from(5, 0);  // modeling_utils.py from_pretrained
  if (rules.own_allocator) {
    rules.engine = from(5, 13) ? Engine::split_always : Engine::ties_first;
    rules.leaves_out_parameters = from(5, 16);  // integrations/accelerate.py: 5.16.0 does, 5.5.0 does not
    rules.tie_groups_from_set = true;           // set(all_tied_weights_keys.values())
    rules.ties_by_plain_substring = false;
    // 5.0 borrows accelerate's get_module_size_with_ties, 5.1 has its own
    rules.partner_by_substring = rules.partner_by_substring && !from(5, 1);
    rules.disk_is_main_device = false;
    rules.bare_buffer_must_fit = false;
    rules.warns_of_buffers = false;
  }
  strategy_rules(from, rules);
  argument_rules(from, rules);
  loading_rules(from, accelerate, rules);
  quantization_rules(from, accelerate, rules);
  return rules;
}

Rules rules_of_accelerate(const Release& accelerate) {
  // the release of transformers has no say in what these functions do, as long as it has no allocator of its own
  return rules_for(Release{4, 30, 0}, accelerate);
}

}  // namespace whyfail::fixer
