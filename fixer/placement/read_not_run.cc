// Shared memory, and quantizers that need hardware or packages nobody had when the rules were compared.
#include "fixer/placement/read_not_run.h"

#include <algorithm>

namespace whyfail::fixer {

std::vector<std::string> rules_read_not_run(const LoadSettings& settings, bool max_memory_given,
                                            const PlacementMachine& machine, const Rules& rules) {
  std::vector<std::string> read;
  const bool shared = std::any_of(machine.gpus.begin(), machine.gpus.end(),
                                  [](const GpuMemory& gpu) { return gpu.integrated && !gpu.unusable; });
  if (shared && !max_memory_given && rules.integrated_gpu_takes_ram) {
    read.emplace_back("no budget for RAM beside a GPU that shares the host's memory (accelerate get_max_memory)");
  }
  const std::string& quantizer = settings.quantizer;
  if (quantizer == "nvfp4") {
    read.emplace_back("NVFP4 also asks for compute capability 10, which is not looked at (quantizer_nvfp4.py)");
  } else if (quantizer == "quark" || quantizer == "metal" || (quantizer == "fbgemm_fp8" && rules.own_allocator)) {
    read.emplace_back("the checks and sizes of " + quantizer + " (transformers/quantizers)");
  }
  return read;
}

}  // namespace whyfail::fixer
