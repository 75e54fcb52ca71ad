// Where offloaded weights and the Hugging Face cache would be written, and what lies under those folders.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "probes/machine.h"
#include "probes/mounts.h"
#include "probes/sources.h"
#include "probes/system.h"

namespace whyfail::probes {

// The folder that huggingface_hub downloads to (constants.py of 0.23 to 1.0: HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE,
// HF_HOME, XDG_CACHE_HOME, the home folder). Begins with "~" if the home folder is not known.
std::string hub_cache(const System& system);

// First the offload folder, then the caches: that of transformers 4's own variables, if one is set, and the hub's. What
// cannot be told is written to unknown["disks"].
std::vector<Disk> disks_of(const System& system, const std::vector<Mount>& mounts, const ProbeRequest& request,
                           std::map<std::string, std::string>& unknown);

}  // namespace whyfail::probes
