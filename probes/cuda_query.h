// Asks the CUDA driver which devices there are, in its own order. Runs in a child process (child_process.h). Takes
// CUDA_DEVICE_ORDER and CUDA_VISIBLE_DEVICES out of the environment of that child.
#pragma once

#include <string>
#include <vector>

#include "probes/answers.h"

namespace whyfail::probes {

CudaAnswer ask_cuda(const std::vector<std::string>& library_names);

}  // namespace whyfail::probes
