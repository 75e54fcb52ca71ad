// Memory on Linux, Windows and macOS.
#include "probes/memory.h"

#include <algorithm>

#include "probes/cgroup.h"
#include "probes/text_lines.h"

namespace whyfail::probes {
namespace {

using Bytes = std::optional<std::uint64_t>;

Bytes positive(const Figure& figure) {
  if (!figure || *figure < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*figure);
}

Bytes smaller(Bytes one, Bytes other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

std::uint64_t above_zero(std::uint64_t from, std::uint64_t take) { return from - std::min(from, take); }

// Fields of /proc/meminfo in bytes; the file counts in units of 1024.
std::map<std::string, std::uint64_t, std::less<>> meminfo(const System& system) {
  std::map<std::string, std::uint64_t, std::less<>> fields;
  const auto text = system.read("/proc/meminfo");
  if (!text) return fields;
  for (std::string_view line : lines_of(*text)) {
    const auto parts = fields_of(line);
    if (parts.size() < 2 || !parts[0].ends_with(':')) continue;
    const auto number = number_of(parts[1]);
    if (!number || *number > (std::uint64_t{1} << 52U)) continue;
    fields.emplace(parts[0].substr(0, parts[0].size() - 1), *number * (parts.size() > 2 ? 1024 : 1));
  }
  return fields;
}

template <typename Fields>
Bytes field(const Fields& fields, std::string_view name) {
  const auto found = fields.find(name);
  if (found == fields.end()) return std::nullopt;
  return found->second;
}

// psutil 6, _pslinux.py virtual_memory() and calculate_avail_vmem().
template <typename Fields>
std::uint64_t available_as_psutil(const Fields& fields, std::uint64_t total) {
  const std::uint64_t free = field(fields, "MemFree").value_or(0);
  std::uint64_t available = field(fields, "MemAvailable").value_or(0);
  if (available == 0) available = free + field(fields, "Cached").value_or(0);
  return available > total ? free : available;
}

// The ZFS cache shrinks to c_min when programs need memory, but counts as used.
std::uint64_t reclaimable_arc(const System& system) {
  const auto text = system.read("/proc/spl/kstat/zfs/arcstats");
  if (!text) return 0;
  std::uint64_t size = 0;
  std::uint64_t least = 0;
  for (std::string_view line : lines_of(*text)) {
    const auto parts = fields_of(line);
    if (parts.size() != 3) continue;
    if (parts[0] == "size") size = number_of(parts[2]).value_or(0);
    if (parts[0] == "c_min") least = number_of(parts[2]).value_or(0);
  }
  return above_zero(size, least);
}

std::optional<bool> swap_memory_backed(const System& system) {
  const auto text = system.read("/proc/swaps");
  if (!text) return std::nullopt;
  std::optional<bool> all;
  for (std::string_view line : lines_of(*text)) {
    const auto parts = fields_of(line);
    if (parts.empty() || parts[0] == "Filename") continue;
    all = all.value_or(true) && parts[0].starts_with("/dev/zram");
  }
  return all;
}

Bytes address_space_limit(const System& system) {
  const auto text = system.read("/proc/self/limits");
  if (!text) return std::nullopt;
  constexpr std::string_view name = "Max address space";
  for (std::string_view line : lines_of(*text)) {
    if (!line.starts_with(name)) continue;
    const auto parts = fields_of(line.substr(name.size()));
    return parts.empty() ? std::nullopt : number_of(parts[0]);
  }
  return std::nullopt;
}

template <typename Fields>
Bytes commit_free(const System& system, const Fields& fields) {
  const auto mode = system.read("/proc/sys/vm/overcommit_memory");
  if (!mode || number_of(*mode) != 2) return std::nullopt;
  const Bytes limit = field(fields, "CommitLimit");
  const Bytes used = field(fields, "Committed_AS");
  if (!limit || !used) return std::nullopt;
  return above_zero(*limit, *used);
}

void apply_cgroup(Memory& memory, Bytes& usable, const std::vector<CgroupLevel>& levels) {
  for (const CgroupLevel& level : levels) {
    if (level.swap_left && memory.swap_free_bytes) {
      memory.swap_free_bytes = std::min(*memory.swap_free_bytes, *level.swap_left);
    }
    if (!level.limit) continue;
    usable = smaller(usable, above_zero(*level.limit, level.used));
    if (memory.limit_bytes && *memory.limit_bytes <= *level.limit) continue;
    memory.limit_bytes = level.limit;
    memory.limit_origin = "cgroup " + level.path + " " + level.limit_file;
  }
}

Memory linux_memory(const System& system, const std::vector<Mount>& mounts,
                    std::map<std::string, std::string>& unknown) {
  Memory memory;
  memory.origin = system.origin() + ": /proc/meminfo";
  const auto fields = meminfo(system);
  memory.total_bytes = field(fields, "MemTotal");
  if (memory.total_bytes == std::uint64_t{0}) memory.total_bytes.reset();
  memory.swap_free_bytes = field(fields, "SwapFree");
  memory.swap_memory_backed = swap_memory_backed(system);
  memory.commit_free_bytes = commit_free(system, fields);
  memory.address_space_limit_bytes = address_space_limit(system);
  Bytes usable = smaller(memory.commit_free_bytes, memory.address_space_limit_bytes);
  apply_cgroup(memory, usable, cgroup_levels(system, mounts, memory.total_bytes));
  if (!memory.total_bytes) {
    unknown["memory"] = "meminfo (/proc/meminfo) cannot be read or has no MemTotal";
    return memory;
  }
  memory.available_bytes = available_as_psutil(fields, *memory.total_bytes);
  const std::uint64_t host = *memory.available_bytes + reclaimable_arc(system);
  memory.usable_bytes = smaller(std::min(*memory.total_bytes, host), usable);
  return memory;
}

Memory windows_memory(const System& system, const WindowsAnswer& answer) {
  Memory memory;
  memory.origin = system.origin() + ": GlobalMemoryStatusEx";
  memory.total_bytes = positive(answer.physical_total);
  memory.available_bytes = positive(answer.physical_available);
  memory.commit_free_bytes = positive(answer.commit_available);
  if (memory.available_bytes) memory.usable_bytes = smaller(memory.available_bytes, memory.commit_free_bytes);
  return memory;
}

Memory darwin_memory(const System& system, const DarwinAnswer& answer) {
  Memory memory;
  memory.origin = system.origin() + ": sysctl hw.memsize, vm_stat";
  memory.total_bytes = positive(answer.memory_size);
  const Bytes page = positive(answer.page_size);
  const Bytes free = positive(answer.free_pages);
  const Bytes inactive = positive(answer.inactive_pages);
  constexpr std::uint64_t most = std::uint64_t{1} << 40U;  // pages; more is nonsense and would overflow below
  if (page && free && inactive && *page <= (1U << 20U) && *free < most && *inactive < most) {
    memory.available_bytes = (*free + *inactive) * *page;
    memory.usable_bytes = memory.available_bytes;
  }
  const Bytes total = positive(answer.swap_total);
  const Bytes used = positive(answer.swap_used);
  if (total && used) memory.swap_free_bytes = above_zero(*total, *used);
  return memory;
}

}  // namespace

Memory memory_of(const System& system, const std::vector<Mount>& mounts, std::map<std::string, std::string>& unknown) {
  Memory memory;
  if (const auto windows = system.windows()) {
    memory = windows_memory(system, *windows);
  } else if (const auto darwin = system.darwin()) {
    memory = darwin_memory(system, *darwin);
  } else {
    return linux_memory(system, mounts, unknown);
  }
  if (!memory.total_bytes || !memory.available_bytes) unknown["memory"] = "the system did not tell its memory";
  return memory;
}

}  // namespace whyfail::probes
