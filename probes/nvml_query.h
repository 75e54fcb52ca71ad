// Asks NVML. Runs in a child process (child_process.h): a driver may hang or crash.
#pragma once

#include <string>
#include <vector>

#include "probes/answers.h"

namespace whyfail::probes {

NvmlAnswer ask_nvml(const std::vector<std::string>& library_names);

}  // namespace whyfail::probes
