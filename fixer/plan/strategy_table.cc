// The table of strategies, from the least change to the most.
#include "fixer/plan/strategy.h"

namespace whyfail::fixer {

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> table = {
      {"correct-device-string", correct_device_string, false},
      {"rename-argument", rename_argument, false},
      {"merge-quantization", merge_quantization, false},
      {"correct-max-memory", correct_max_memory, false},
      {"drop-move", drop_move, false},
      {"drop-device-map", drop_device_map, false},
      {"right-class", right_class, false},
      {"complete-device-map", complete_device_map, true},
      {"recompute-max-memory", recompute_max_memory, true},
      {"offload-folder", offload_folder, true},
      {"explicit-device-map", explicit_device_map, true},
      {"automatic-device-map", automatic_device_map, true},
      {"name-dtype", name_dtype, true},
      {"fp32-offload", fp32_offload, true},
      {"quantize-8bit", quantize_8bit, true},
      {"quantize-4bit", quantize_4bit, true},
  };
  return table;
}

}  // namespace whyfail::fixer
