// The machine's memory: as psutil reports it (what accelerate will see) and what a process here can really take.
#pragma once

#include <map>
#include <string>

#include "probes/machine.h"
#include "probes/mounts.h"
#include "probes/system.h"

namespace whyfail::probes {

// What cannot be told is written to unknown["memory"].
Memory memory_of(const System& system, const std::vector<Mount>& mounts, std::map<std::string, std::string>& unknown);

}  // namespace whyfail::probes
