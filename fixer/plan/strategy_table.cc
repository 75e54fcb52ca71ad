// The table of strategies, from the least change to the most.
#include "fixer/plan/strategy.h"

namespace whyfail::fixer {

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> table = {
      {"correct-device-string", correct_device_string, StandsOn::text},
      {"rename-argument", rename_argument, StandsOn::text},
      {"merge-quantization", merge_quantization, StandsOn::text},
      {"correct-max-memory", correct_max_memory, StandsOn::text},
      {"drop-move", drop_move, StandsOn::text},
      {"drop-device-map", drop_device_map, StandsOn::text},
      {"right-class", right_class, StandsOn::text},
      {"complete-device-map", complete_device_map, StandsOn::fit},
      {"recompute-max-memory", recompute_max_memory, StandsOn::sizes},
      {"offload-folder", offload_folder, StandsOn::sizes},
      {"explicit-device-map", explicit_device_map, StandsOn::fit},
      {"automatic-device-map", automatic_device_map, StandsOn::sizes},
      {"name-dtype", name_dtype, StandsOn::sizes},
      {"fp32-offload", fp32_offload, StandsOn::sizes},
      {"quantize-8bit", quantize_8bit, StandsOn::fit},
      {"quantize-4bit", quantize_4bit, StandsOn::fit},
  };
  return table;
}

}  // namespace whyfail::fixer
