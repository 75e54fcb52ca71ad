// Walks the memory control groups of this process.
#include "probes/cgroup.h"

#include <algorithm>

#include "probes/paths.h"
#include "probes/text_lines.h"

namespace whyfail::probes {
namespace {

constexpr auto linux_kernel = SystemKind::linux_kernel;

struct Place {
  int version = 0;
  std::string point;  // mount point
  std::string below;  // the own group below it, with a leading slash
};

struct Membership {  // a line of /proc/self/cgroup
  std::string_view number;
  std::string_view controllers;
  std::string_view path;
};

std::vector<Membership> memberships(std::string_view text) {
  std::vector<Membership> all;
  for (std::string_view line : lines_of(text)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    all.push_back({line.substr(0, first), line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  return all;
}

bool lists_memory(const Membership& member) {
  const auto names = split_at(member.controllers, ',');
  return std::find(names.begin(), names.end(), "memory") != names.end();
}

bool has_memory(const Mount& mount) {
  return std::find(mount.super_options.begin(), mount.super_options.end(), "memory") != mount.super_options.end();
}

// Where the group lies below the mount; the mount point itself if it is not visible from here.
std::string below_mount(std::string_view group, const Mount& mount) {
  const auto raw = split_at(group, '/');
  const bool climbs = std::find(raw.begin(), raw.end(), "..") != raw.end();
  if (climbs || !is_below(group, mount.root, linux_kernel)) return "/";
  const auto parts = components(group, linux_kernel);
  std::string below;
  for (std::size_t i = components(mount.root, linux_kernel).size(); i < parts.size(); ++i) below += "/" + parts[i];
  return below.empty() ? "/" : below;
}

std::optional<Place> place_of(const System& system, const std::vector<Mount>& mounts) {
  const auto text = system.read("/proc/self/cgroup");
  if (!text) return std::nullopt;
  const auto members = memberships(*text);
  const auto first = std::find_if(members.begin(), members.end(), lists_memory);
  const auto mount1 = std::find_if(mounts.begin(), mounts.end(),
                                   [](const Mount& mount) { return mount.type == "cgroup" && has_memory(mount); });
  if (first != members.end() && mount1 != mounts.end()) {
    return Place{1, mount1->point, below_mount(first->path, *mount1)};
  }
  const auto unified = std::find_if(members.begin(), members.end(), [](const Membership& member) {
    return member.number == "0" && member.controllers.empty();
  });
  const auto mount2 =
      std::find_if(mounts.begin(), mounts.end(), [](const Mount& mount) { return mount.type == "cgroup2"; });
  if (unified == members.end() || mount2 == mounts.end()) return std::nullopt;
  return Place{2, mount2->point, below_mount(unified->path, *mount2)};
}

class Group {
 public:
  Group(const System& system, std::string folder) : system_(system), folder_(std::move(folder)) {}

  std::optional<std::uint64_t> number(const char* file) const {
    const auto text = system_.read(folder_ + "/" + file);
    return text ? number_of(*text) : std::nullopt;
  }

  std::optional<std::uint64_t> statistic(std::string_view name) const {
    const auto text = system_.read(folder_ + "/memory.stat");
    if (!text) return std::nullopt;
    for (std::string_view line : lines_of(*text)) {
      const auto fields = fields_of(line);
      if (fields.size() == 2 && fields[0] == name) return number_of(fields[1]);
    }
    return std::nullopt;
  }

  std::uint64_t used(const char* usage, std::string_view inactive) const {
    const std::uint64_t all = number(usage).value_or(0);
    return all - std::min(all, statistic(inactive).value_or(0));
  }

 private:
  const System& system_;
  std::string folder_;
};

void lower_limit(CgroupLevel& level, std::optional<std::uint64_t> limit, const char* file,
                 std::optional<std::uint64_t> total) {
  if (!limit || (total && *limit >= *total) || (level.limit && *level.limit <= *limit)) return;
  level.limit = limit;
  level.limit_file = file;
}

CgroupLevel level2(const Group& group, std::string path, std::optional<std::uint64_t> total) {
  CgroupLevel level;
  level.path = std::move(path);
  lower_limit(level, group.number("memory.max"), "memory.max", total);
  lower_limit(level, group.number("memory.high"), "memory.high", total);
  level.used = group.used("memory.current", "inactive_file");
  if (const auto swap = group.number("memory.swap.max")) {
    level.swap_left = *swap - std::min(*swap, group.number("memory.swap.current").value_or(0));
  }
  return level;
}

CgroupLevel level1(const Group& group, std::string path, bool own, std::optional<std::uint64_t> total) {
  CgroupLevel level;
  level.path = std::move(path);
  lower_limit(level, group.number("memory.limit_in_bytes"), "memory.limit_in_bytes", total);
  // Shows limits of parents that are not visible from inside a container.
  if (own) lower_limit(level, group.statistic("hierarchical_memory_limit"), "memory.stat", total);
  level.used = group.used("memory.usage_in_bytes", "total_inactive_file");
  return level;
}

}  // namespace

std::vector<CgroupLevel> cgroup_levels(const System& system, const std::vector<Mount>& mounts,
                                       std::optional<std::uint64_t> memory_total) {
  std::vector<CgroupLevel> levels;
  const auto place = place_of(system, mounts);
  if (!place) return levels;
  const std::string point = place->point == "/" ? "" : place->point;
  for (std::string path = place->below;; path = parent_of(path, linux_kernel)) {
    const bool top = path == "/";
    const Group group(system, point + (top ? "" : path));
    levels.push_back(place->version == 2 ? level2(group, path, memory_total)
                                         : level1(group, path, levels.empty(), memory_total));
    if (top) return levels;
  }
}

}  // namespace whyfail::probes
