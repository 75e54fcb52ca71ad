// The machine that this program runs on.
#pragma once

#include <memory>

#include "probes/nvidia_libraries.h"
#include "probes/system.h"

namespace whyfail::probes {

std::unique_ptr<System> real_system(NvidiaLibraries libraries = installed_nvidia_libraries());

}  // namespace whyfail::probes
