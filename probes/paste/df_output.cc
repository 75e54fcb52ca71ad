// df: "Filesystem  Size  Used Avail Use% Mounted on", sizes in units or in blocks of 1024 bytes.
#include "probes/mounts.h"
#include "probes/paste/scanner.h"
#include "probes/paste/stated.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

std::optional<std::uint64_t> size_of(std::string_view field, std::uint64_t block) {
  if (const auto plain = number_of(field)) {
    if (*plain > (std::uint64_t{1} << 40U)) return std::nullopt;
    return *plain * block;
  }
  Scanner scanner(field);
  if (const auto size = scanner.take_size(); size && scanner.at_end()) return size;
  // df writes terabytes as a lone T, where the scanner wants no unit that a word could begin with.
  if (!field.ends_with('T')) return std::nullopt;
  const std::string binary = std::string(field) + "iB";
  Scanner terabytes(binary);
  return terabytes.take_size();
}

std::optional<Disk> disk_in(const std::vector<std::string_view>& words, bool types, std::uint64_t block) {
  const std::size_t first = types ? 2 : 1;
  if (words.size() != first + 5 || !words[first + 3].ends_with('%') || !words[first + 4].starts_with('/')) {
    return std::nullopt;
  }
  Disk disk;
  disk.path = words[first + 4];
  if (types) disk.filesystem = words[1];
  if (!types && (words[0] == "tmpfs" || words[0] == "overlay")) disk.filesystem = words[0];
  disk.total_bytes = size_of(words[first], block);
  disk.free_bytes = size_of(words[first + 2], block);
  disk.network = is_network(disk.filesystem);
  disk.memory_backed = disk.filesystem == "tmpfs";
  if (!disk.free_bytes) return std::nullopt;
  return disk;
}

}  // namespace

Stated df_output(const Lines& lines) {
  Stated stated;
  bool heading = false;
  bool types = false;
  std::uint64_t block = 1024;
  for (std::string_view line : lines) {
    const auto words = fields_of(line);
    if (words.size() >= 6 && words[0] == "Filesystem") {
      heading = true;
      types = words[1] == "Type";
      const std::string_view column = words[types ? 2 : 1];
      block = column == "512-blocks" ? 512 : column == "1M-blocks" ? 1024 * 1024 : 1024;
      continue;
    }
    if (!heading) continue;
    auto disk = disk_in(words, types, block);
    if (!disk) {
      heading = false;
    } else if (stated.disks.size() < 256) {
      stated.disks.push_back(std::move(*disk));
    }
  }
  return stated;
}

}  // namespace whyfail::probes::paste
