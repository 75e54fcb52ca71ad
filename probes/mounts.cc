// Reads /proc/self/mountinfo.
#include "probes/mounts.h"

#include <algorithm>

#include "probes/paths.h"
#include "probes/text_lines.h"

namespace whyfail::probes {
namespace {

bool is_octal(char letter) { return letter >= '0' && letter <= '7'; }

// The kernel writes blanks, tabs, newlines and backslashes as \040, \011, \012, \134.
std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::string_view upper_folder(const Mount& mount) {
  constexpr std::string_view key = "upperdir=";
  for (const std::string& option : mount.super_options) {
    if (option.starts_with(key)) return std::string_view(option).substr(key.size());
  }
  return {};
}

bool keeps_in_memory(const Mount& mount) {
  return mount.type == "tmpfs" || mount.type == "ramfs" || mount.source.starts_with("/dev/zram");
}

}  // namespace

std::vector<Mount> mounts_of(const System& system) {
  std::vector<Mount> mounts;
  const auto text = system.read("/proc/self/mountinfo");
  if (!text) return mounts;
  for (std::string_view line : lines_of(*text)) {
    const auto fields = fields_of(line);
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (dash - fields.begin() < 6 || fields.end() - dash < 3) continue;
    Mount mount{decoded(fields[3]), decoded(fields[4]), decoded(dash[1]), decoded(dash[2]), {}};
    if (fields.end() - dash > 3) {
      for (std::string_view option : split_at(dash[3], ',')) mount.super_options.push_back(decoded(option));
    }
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

const Mount* mount_above(const std::vector<Mount>& mounts, std::string_view path) {
  const Mount* best = nullptr;
  std::size_t depth = 0;
  for (const Mount& mount : mounts) {
    const std::size_t parts = components(mount.point, SystemKind::linux_kernel).size();
    if (!is_below(path, mount.point, SystemKind::linux_kernel) || (best != nullptr && parts < depth)) continue;
    best = &mount;
    depth = parts;
  }
  return best;
}

bool is_network(std::string_view type) {
  const std::string name = lower_case(type);
  for (std::string_view known :
       {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "lustre", "gpfs", "beegfs", "afs", "glusterfs", "fuse"}) {
    if (name == known) return true;
  }
  if (!name.starts_with("fuse.")) return false;
  for (std::string_view local : {"mergerfs", "ntfs-3g", "fuse-overlayfs", "gocryptfs", "bindfs"}) {
    if (std::string_view(name).substr(5) == local) return false;
  }
  return true;
}

bool is_memory_backed(const Mount& mount, const std::vector<Mount>& mounts) {
  const Mount* current = &mount;
  // An overlay's upper layer may lie on an overlay again, or (seen from inside a container) seem to lie on itself.
  for (int depth = 0; depth < 8 && current != nullptr; ++depth) {
    if (keeps_in_memory(*current)) return true;
    const std::string_view upper = upper_folder(*current);
    if (current->type != "overlay" || upper.empty()) return false;
    const Mount* below = mount_above(mounts, upper);
    if (below == current) return false;
    current = below;
  }
  return false;
}

}  // namespace whyfail::probes
