// What a pair of library releases does when it places a model, as plain options. rules_for() is the only place in the
// program that knows which release behaves how; each row in rules.cc names its source.
#pragma once

#include <optional>
#include <string>

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
  cuda_or_nothing,  // accelerate 0.20: cuda devices; no GPU, or MPS: budgets stay as they are
  cuda,             // keys that torch reads as cuda devices
  cuda_or_mps,      // with MPS only "mps", else cuda
  numbers_or_mps,   // as before, and number keys always
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

// How bitsandbytes' refusal of modules on cpu or disk works (see quantizer_checks.cc).
enum class BitsandbytesCheck {
  inline_4_30,  // transformers to 4.36: in from_pretrained itself
  hook,         // 4.37 to 4.57: quantizer, keys of unconverted modules are exempt
  strict,       // 5: any cpu or disk
};

// The refusals of the other quantizers; each list is what their validate_environment says.
enum class Refuses {
  never,
  cpu_or_disk,            // any value "cpu" or "disk"
  disk,                   // any value "disk"
  several_with_disk,      // more than one key, one of them on disk
  several_with_cpu_disk,  // more than one key, one of them on cpu or disk
  most,                   // more than one key with cpu among them, or any disk
};

// Wordings that changed.
enum class OffloadFlagText { load_in_8bit_4_33, llm_int8_4_40, load_in_8bit_one_line, llm_int8_one_line };

// Fields say what differs; the releases and the sources stand in rules.cc.
struct Rules {
  kb::Release transformers;
  kb::Release accelerate;
  bool own_allocator = false;  // transformers 5 places models itself; 4.x calls accelerate

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
  bool balance_caps_low_gpu_to_zero = false;  // 0.20: balanced_low_0 leaves GPU 0 empty, all numbers up to the last

  // accelerate: allocation (transformers 5 has its own values of these)
  Engine engine = Engine::ties_first;
  bool ties_by_plain_substring = false;  // "h.1" is also found in "h.10…"
  bool bare_buffer_must_fit = false;     // AttributeError otherwise
  bool disk_is_main_device = false;      // a "disk" key counts as a GPU
  bool warns_of_buffers = true;

  // transformers: from a strategy to the map
  bool own_max_memory = false;          // its own get_max_memory
  bool ties_before_balancing = true;    // weights are tied when sizes are taken for balancing
  bool sequential_takes_given = false;  // "sequential" passes max_memory on as it is
  bool quantizer_takes_ninety = true;   // 0.9 of every budget for quantizers that reserve room
  bool ninety_for_bitsandbytes_only = false;
  CpuShare cpu_share = CpuShare::none;
  UnusedMemory unused_memory = UnusedMemory::ignored;
  bool block_is_largest_instance = false;  // of a no-split class; else the first one
  bool leaf_is_largest = false;            // else the mean of modules that own tensors
  bool no_split_required = false;          // strategies need _no_split_modules
  bool modelclass_typo = false;            // "modelclass" in that error

  // transformers: the argument
  bool cuda_becomes_cuda_0 = false;         // "cuda" → "cuda:0"
  bool low_cpu_mem_usage_required = false;  // low_cpu_mem_usage=False with a device_map is refused
  bool tied_names_must_be_covered = false;

  // loading and dispatch
  bool covers_by_pattern = false;           // keys are matched as regular expressions without boundary
  bool uncovered_goes_to_cpu = false;       // else "doesn't have any device set."
  bool root_key_misses_disk_index = false;  // the key "" covers nothing when disk weights are looked up
  bool root_on_disk_unreadable = false;     // {"": "disk"}: the reader is asked for a device named disk
  bool empty_map_is_key_error = false;
  bool resave_text = false;                    // the longer text about a missing offload_folder, per tensor
  bool dispatch_needs_offload_folder = false;  // even for safetensors
  bool skips_dispatch_of_single_value = false;
  bool dispatches_disk_always = false;  // a single value "disk" is dispatched all the same
  bool whole_model_on_disk_refused = true;
  bool whole_model_on_disk_is_index_error = false;
  bool one_meta_makes_ties_meta = false;     // after dispatch; else one real member makes all real
  bool compares_duplicates = false;          // both names of a tie in the file are compared
  bool compares_duplicates_on_disk = false;  // also when all of them are on disk
  bool tied_bias_not_restored = false;       // BERT's bias is missing from the file and is not tied again

  // quantizers
  BitsandbytesCheck bitsandbytes = BitsandbytesCheck::strict;
  bool bitsandbytes_needs_gpu = false;  // the installed bitsandbytes of that time has no CPU backend
  bool bitsandbytes_missing_is_import_error = false;
  bool bitsandbytes_all_on_cpu_allowed = false;
  bool bitsandbytes_second_check = false;       // mixed explicit maps with cpu or disk are refused in preparation
  bool bitsandbytes_defaults_to_gpu_0 = false;  // without device_map even if there is no GPU
  OffloadFlagText offload_flag_text = OffloadFlagText::llm_int8_one_line;
  bool final_norm_not_converted = false;  // the default list of unconverted modules holds the final norm as well
  bool has_quantizer_hooks = true;
};

Rules rules_for(const kb::Release& transformers, const kb::Release& accelerate);

}  // namespace whyfail::fixer
