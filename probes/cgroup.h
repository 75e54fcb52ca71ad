// Memory limits of the control group that this process runs in, from its own group up (kernel documentation: cgroup-v2,
// cgroup-v1/memory).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probes/mounts.h"
#include "probes/system.h"

namespace whyfail::probes {

// One group on the way up; its limit is the smallest of its files that is below the machine's memory.
struct CgroupLevel {
  std::string path;  // below the mount point, with a leading slash
  std::optional<std::uint64_t> limit;
  std::string limit_file;  // "memory.max", "memory.high", "memory.limit_in_bytes", "memory.stat"
  std::uint64_t used = 0;  // without inactive file pages, which the kernel gives back first
  std::optional<std::uint64_t> swap_left;
};

// Deepest first; empty if there is no memory controller or its files cannot be read.
std::vector<CgroupLevel> cgroup_levels(const System& system, const std::vector<Mount>& mounts,
                                       std::optional<std::uint64_t> memory_total);

}  // namespace whyfail::probes
