// The machine's list of GPUs: cards of all vendors, and which of them get the keys of max_memory.
#pragma once

#include "probes/machine.h"
#include "probes/system.h"

namespace whyfail::probes {

// Fills gpus, gpus_known and unknown["gpus"]. Needs os, memory and packages (torch's local version names its vendor).
void read_gpus(const System& system, Machine& machine);

}  // namespace whyfail::probes
