// Name and version of the system, and whether it is a guest: WSL, a container.
#pragma once

#include "probes/machine.h"
#include "probes/system.h"

namespace whyfail::probes {

OperatingSystem operating_system(const System& system);

}  // namespace whyfail::probes
