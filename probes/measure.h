// All groups of facts of a machine, measured through its System.
#pragma once

#include "probes/sources.h"
#include "probes/system.h"

namespace whyfail::probes {

Machine measured(const System& system, const ProbeRequest& request);

}  // namespace whyfail::probes
