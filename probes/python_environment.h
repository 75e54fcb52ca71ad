// Which Python installation a program started here would use, its version and its packages.
#pragma once

#include "probes/machine.h"
#include "probes/sources.h"
#include "probes/system.h"

namespace whyfail::probes {

// Fills packages, python and their origins; what cannot be told goes to unknown["packages"]. The folders that a
// traceback names come first, then VIRTUAL_ENV or CONDA_PREFIX, then the user's and the system's own folders.
void read_python(const System& system, const ProbeRequest& request, Machine& machine);

}  // namespace whyfail::probes
