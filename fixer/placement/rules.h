// What a pair of library releases does when it places a model, as plain options. rules_for() is the only place in the
// program that knows which release behaves how; each row in rules.cc names its source.
#pragma once

#include <optional>
#include <string>

#include "fixer/placement/module_tree.h"
#include "kb/release.h"

namespace whyfail::fixer {

// How infer_auto_device_map walks its list of modules.
enum class Engine {
  size_first,    // accelerate to 1.1: a module must fit without its ties before ties are looked at
  ties_first,    // accelerate from 1.2, transformers 5.0: with its ties, else split
  split_always,  // transformers from 5.16: a splittable module that does not fit is always split
};

// What get_balanced_memory counts as a device to spread over.
enum class BalancedDevices {
  cuda,            // keys that torch reads as cuda devices
  cuda_or_mps,     // with MPS only "mps", else cuda
  numbers_or_mps,  // as before, and number keys always
};

enum class CpuShare {
  none,
  after_balancing,  // 0.90 of "cpu" once balanced, when no max_memory was given
  in_max_memory,    // the same inside transformers' own get_max_memory
};

enum class UnusedMemory {
  ignored,
  after_balancing,  // reserved − allocated bytes are added once balanced, then the user's value caps the sum
  in_max_memory,
};

// Which maps a quantizer refuses. "cpu" and "disk" are the plain strings: torch.device("cpu") is not equal to "cpu".
enum class Refuses {
  never,
  cpu_or_disk,            // any value cpu or disk
  disk,                   // any value disk
  several_with_disk,      // more than one key, one of them on disk
  several_with_cpu_disk,  // more than one key, one of them on cpu or disk
  most,                   // more than one key with cpu among them, or any disk
};

// Quantizers that work on one device only.
enum class OneDevice {
  not_asked,
  sinq,   // a map of several distinct values is refused; the text sorts them, which fails for mixed kinds
  nvfp4,  // exactly one CUDA device, by a map or a name
};

// What a quantizer makes of device_map=None.
enum class DefaultMap { none, gpu_0_or_cpu, gpu_0, cpu, torch_cpu, mps };

// One quantizer in one release: its hooks in transformers/quantizers/quantizer_*.py.
struct QuantizerRules {
  std::optional<DType> target_dtype;           // 4.x: width that floating tensors are counted with at most
  std::optional<double> linear_element_bytes;  // 5: of the weight of a layer that it converts
  int packed_group = 0;        // experts are packed before sizes are taken: half a byte a weight, in groups of so many
  bool packed_scales = false;  // one byte a group is a parameter beside them
  bool reserves_room = false;  // adjust_max_memory: 0.90 of every budget
  Refuses refuses = Refuses::never;
  bool torch_device_cpu_refused = false;  // torch.device("cpu") counts as cpu
  bool needs_map = false;                 // device_map=None is refused
  Refuses refuses_without_gpu = Refuses::never;
  const char* refusal = "";  // text of the ValueError
  const char* refusal_without_gpu = "";
  const char* no_gpu_error = "";  // type of the error without a GPU; empty: works
  const char* no_gpu_text = "";
  bool accepts_all_without_gpu = false;
  OneDevice one_device = OneDevice::not_asked;
  const char* pre_quantized_refusal = "";  // a checkpoint that is quantized already is refused with this ValueError
  bool needs_mps = false;                  // the GPU it asks for is Apple's
  bool no_gpu_matters_without_map_only = false;  // asked for only when it has to choose the device itself
  DefaultMap default_map = DefaultMap::none;
};

// Fields say what differs; the releases and the sources stand in rules.cc.
struct Rules {
  kb::Release transformers;
  kb::Release accelerate;
  bool own_allocator = false;          // transformers 5 places models itself; 4.x calls accelerate
  int tree_era = 4;                    // of the size templates: module trees of transformers 4 or 5
  bool default_dtype_is_auto = false;  // without dtype a model is loaded in the checkpoint's; else in float32

  // accelerate: budget strings
  bool whole_number_sizes = false;  // "1.5GiB" is refused
  bool zero_size_refused = false;   // "0GB" is refused

  // accelerate: budgets
  bool budgets_sorted_and_checked = true;  // else the user's order is the filling order and any key passes
  bool unusable_gpu_is_error = false;      // else it is left out
  bool integrated_gpu_takes_ram = false;   // no "cpu" key beside a GPU that shares the host's memory

  // accelerate: sizes
  bool integers_keep_width = true;  // the dtype argument does not shrink integer and bool tensors

  // accelerate: balancing
  BalancedDevices balanced_devices = BalancedDevices::cuda;
  bool balances_only_beside_cuda = false;  // without a GPU, or with MPS, budgets stay as they are
  bool balances_over_no_device = false;    // divides by zero when no key counts
  bool takes_tenth_of_single_gpu = true;   // 0.9 when no max_memory was given
  bool low_zero_of_single_gpu = false;     // balanced_low_0 is tried with one GPU too
  bool low_zero_empties_gpu_0 = false;     // GPU 0 ends with a budget of 0
  bool caps_every_number = false;          // from 0 to the last GPU; a gap is a KeyError

  // accelerate: allocation (transformers 5 has its own values of these)
  Engine engine = Engine::ties_first;
  bool leaves_out_parameters = false;    // _no_placement_params
  bool tie_groups_from_set = true;       // in no defined order; else as find_tied_parameters meets them
  bool ties_by_plain_substring = false;  // "h.1" is also found in "h.10…"
  bool partner_by_substring = false;     // whose name is a part of the tied name; else it must begin with it
  bool bare_buffer_must_fit = false;     // AttributeError otherwise
  bool disk_is_main_device = false;      // a "disk" key counts as a GPU
  bool warns_of_buffers = true;

  // transformers: from a strategy to the map
  bool own_max_memory = false;          // its own get_max_memory
  bool ties_before_balancing = true;    // weights are tied when sizes are taken for balancing
  bool sequential_takes_given = false;  // "sequential" passes max_memory on as it is
  CpuShare cpu_share = CpuShare::none;
  UnusedMemory unused_memory = UnusedMemory::ignored;
  bool block_is_largest_instance = false;  // of a no-split class; else the first one
  bool leaf_is_largest = false;            // else the mean of modules that own tensors
  bool no_split_required = false;          // strategies need _no_split_modules
  bool modelclass_typo = false;            // "modelclass" in that error

  // transformers: the argument
  bool cuda_becomes_cuda_0 = false;         // "cuda" → "cuda:0"
  bool low_cpu_mem_usage_required = false;  // low_cpu_mem_usage=False with a device_map is refused
  bool low_cpu_mem_usage_names_tp_plan = false;
  bool tied_names_must_be_covered = false;

  // loading and dispatch
  std::optional<kb::Release> pickle_needs_torch;  // .bin files are refused with an older torch
  bool covers_by_pattern = false;                 // keys are matched as regular expressions without boundary
  bool root_key_misses_disk_index = false;        // the key "" covers nothing when disk weights are looked up
  bool root_on_disk_unreadable = false;           // {"": "disk"}: the reader is asked for a device named disk
  bool empty_map_is_key_error = false;
  bool skips_dispatch_of_single_value = false;
  bool dispatches_disk_always = false;         // a single value "disk" is dispatched all the same
  bool compares_duplicates = false;            // both names of a tie in the file are compared
  bool compares_duplicates_on_disk = false;    // also when all of them are on disk
  bool bias_tied_late = false;                 // a tied bias that the file leaves out is missing at dispatch
  bool dispatch_needs_offload_folder = false;  // even for safetensors
  bool whole_model_on_disk_refused = true;
  bool whole_model_on_disk_is_index_error = false;
  bool one_meta_makes_ties_meta = false;  // after dispatch; else one real member makes all real
  bool detach_loses_module = false;       // of several hooks on a module only the first can be taken off

  bool unconverted_by_suffix = false;  // an entry of modules_to_not_convert names a beginning or an end, else a part
  bool unconverted_needs_boundary = false;    // the beginning must end at a "."
  bool fp8_fails_with_parallel_plan = false;  // update_tp_plan looks up a table that is not there

  // bitsandbytes (its checks differ in form from those of the others)
  bool bitsandbytes_is_quantizer = true;  // else inline in from_pretrained, where the flag has no say in the map
  bool bitsandbytes_strict = false;       // no key is exempt
  bool bitsandbytes_all_on_cpu_passes = false;
  bool bitsandbytes_second_check = false;   // explicit maps of several keys with cpu or disk
  bool offload_flag_named_llm_int8 = true;  // else load_in_8bit_fp32_cpu_offload in the first text
  bool offloaded_int8_weights_load =
      true;                           // else the fp32 offload flag passes the checks and loading ends in a TypeError
  bool bitsandbytes_upcasts = false;  // what the class keeps in float32 becomes so whatever the dtype
  bool final_norm_not_converted = false;  // the default list of unconverted modules holds the final norm as well
};

Rules rules_for(const kb::Release& transformers, const kb::Release& accelerate);

// For accelerate's own functions, whatever transformers is beside them.
Rules rules_of_accelerate(const kb::Release& accelerate);

// `quantizer`: "bitsandbytes_8bit", "bitsandbytes_4bit", "quanto", "torchao", "hqq", "awq", "gptq", "fp8" … as
// quantization_config's quant_method names it. A quantizer that is not known refuses nothing and changes no size.
QuantizerRules quantizer_rules(const std::string& quantizer, bool pre_quantized, const Rules& rules);

}  // namespace whyfail::fixer
