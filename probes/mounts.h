// The mounts of a Linux system (proc_pid_mountinfo(5)).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/system.h"

namespace whyfail::probes {

struct Mount {
  std::string root;   // what of the file system is mounted
  std::string point;  // where
  std::string type;   // "ext4", "overlay", "fuse.sshfs"
  std::string source;
  std::vector<std::string> super_options;
};

// Empty if /proc/self/mountinfo cannot be read.
std::vector<Mount> mounts_of(const System& system);
// The mount that holds `path`: the longest mount point above it, the later one of equals; null if there is none.
const Mount* mount_above(const std::vector<Mount>& mounts, std::string_view path);
bool is_network(std::string_view type);
// Whether what is written there takes up RAM.
bool is_memory_backed(const Mount& mount, const std::vector<Mount>& mounts);

}  // namespace whyfail::probes
