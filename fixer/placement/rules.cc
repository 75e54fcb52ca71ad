// Which release behaves how. Sources: the packages' own files in the releases named; "seen" means run with the first
// listed release, the change lying between it and the release before it in the reference list (4.30.2/0.20.3,
// 4.33.3/0.23.0, 4.36.2/0.25.0, 4.40.2/0.29.3, 4.44.2/0.33.0, 4.46.3/1.1.1, 4.48.3/1.3.0, 4.51.3/1.6.0, 4.53.3/1.8.1,
// 4.57.6/1.12.0, 5.0.0/1.12.0, 5.5.0/1.13.0, 5.10.0/1.14.0, 5.16.0/1.14.0, 5.23.0/1.15.0).
#include "fixer/placement/rules.h"

namespace whyfail::fixer {

namespace {

using kb::Release;

// accelerate/utils/modeling.py; read in 24 releases from 0.20.3 to 1.15.0, every change at the release it came with.
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
  // infer_auto_device_map
  rules.engine = before(1, 2) ? Engine::size_first : Engine::ties_first;
  rules.ties_by_plain_substring = before(0, 26);
  rules.bare_buffer_must_fit = before(0, 28);
  rules.disk_is_main_device = before(0, 22);
  rules.warns_of_buffers = !before(0, 28);
  // find_tied_parameters walked the modules in order up to 0.33; sets of names since
  rules.ties_in_order_found = before(0, 34);
}

}  // namespace

Rules rules_for(const Release& transformers, const Release& accelerate) {
  Rules rules;
  rules.transformers = transformers;
  rules.accelerate = accelerate;
  accelerate_rules(accelerate, rules);
  const auto from = [&](int major, int minor) { return transformers >= Release{major, minor, 0}; };
  rules.own_allocator = from(5, 0);
  if (rules.own_allocator) {
    rules.engine = from(5, 13) ? Engine::split_always : Engine::ties_first;
    rules.ties_by_plain_substring = false;
    rules.disk_is_main_device = false;
    rules.bare_buffer_must_fit = false;
    rules.warns_of_buffers = false;
  }
  rules.own_max_memory = from(5, 3);
  rules.ties_before_balancing = from(4, 50);
  rules.sequential_takes_given = !from(4, 31);
  rules.cpu_share = from(5, 3) ? CpuShare::in_max_memory : from(5, 0) ? CpuShare::after_balancing : CpuShare::none;
  rules.unused_memory = from(5, 3)    ? UnusedMemory::in_max_memory
                        : from(4, 52) ? UnusedMemory::after_balancing
                                      : UnusedMemory::ignored;
  rules.block_is_largest_instance = from(5, 14);
  rules.leaf_is_largest = from(5, 17);
  rules.bitsandbytes_is_quantizer = from(4, 37);
  rules.bitsandbytes_strict = from(5, 0);
  rules.bitsandbytes_all_on_cpu_passes = from(4, 57);
  rules.bitsandbytes_second_check = !from(5, 0);
  rules.offload_flag_named_llm_int8 = (from(4, 40) && !from(4, 41)) || from(4, 46);
  rules.final_norm_not_converted = from(4, 50);
  return rules;
}

}  // namespace whyfail::fixer
