// Measures a machine, group by group.
#include "probes/measure.h"

#include "probes/disks.h"
#include "probes/gpus.h"
#include "probes/memory.h"
#include "probes/mounts.h"
#include "probes/operating_system.h"
#include "probes/python_environment.h"

namespace whyfail::probes {
namespace {

// Variables that change what a load sees. Nothing that can be a secret.
bool is_telling(const std::string& name) {
  for (const char* known : {"CUDA_VISIBLE_DEVICES",
                            "CUDA_DEVICE_ORDER",
                            "HIP_VISIBLE_DEVICES",
                            "ROCR_VISIBLE_DEVICES",
                            "GPU_DEVICE_ORDINAL",
                            "ZE_AFFINITY_MASK",
                            "ZE_FLAT_DEVICE_HIERARCHY",
                            "ONEAPI_DEVICE_SELECTOR",
                            "HF_HOME",
                            "HF_HUB_CACHE",
                            "HUGGINGFACE_HUB_CACHE",
                            "XDG_CACHE_HOME",
                            "TRANSFORMERS_CACHE",
                            "PYTORCH_CUDA_ALLOC_CONF",
                            "PYTORCH_ALLOC_CONF",
                            "PYTORCH_MPS_HIGH_WATERMARK_RATIO",
                            "COLAB_RELEASE_TAG",
                            "KAGGLE_KERNEL_RUN_TYPE",
                            "SLURM_JOB_ID",
                            "WSL_DISTRO_NAME"}) {
    if (name == known) return true;
  }
  return name.starts_with("CUDA_DEVICE_MEMORY_LIMIT");
}

}  // namespace

Machine measured(const System& system, const ProbeRequest& request) {
  Machine machine;
  machine.os = operating_system(system);
  for (auto& [name, value] : system.environment()) {
    if (is_telling(name)) machine.environment[name] = value;
  }
  const auto mounts = system.kind() == SystemKind::linux_kernel ? mounts_of(system) : std::vector<Mount>{};
  machine.memory = memory_of(system, mounts, machine.unknown);
  machine.disks = disks_of(system, mounts, request, machine.unknown);
  read_python(system, request, machine);
  read_gpus(system, machine);
  return machine;
}

}  // namespace whyfail::probes
