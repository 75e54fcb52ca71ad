// Asks the two NVIDIA libraries of this machine, each in a child process with a time limit.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "probes/answers.h"

namespace whyfail::probes {

struct NvidiaLibraries {
  std::vector<std::string> nvml;  // names or paths for dlopen, best first
  std::vector<std::string> cuda;
  std::chrono::milliseconds nvml_limit;
  std::chrono::milliseconds cuda_limit;
};

// libnvidia-ml.so.1 and libcuda.so.1; WSL keeps them apart from the loader's folders.
NvidiaLibraries installed_nvidia_libraries();

// The CUDA driver is asked only where NVML's answer leaves something open: it takes much longer. `pci_order`:
// CUDA_DEVICE_ORDER=PCI_BUS_ID, so that CUDA's own order does not matter.
NvidiaAnswer ask_nvidia(const NvidiaLibraries& libraries, bool pci_order);

}  // namespace whyfail::probes
