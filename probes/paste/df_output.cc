// df: "Filesystem  Size  Used Avail Use% Mounted on" in any language, sizes in units or in blocks of 1024 bytes.
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

// The shape of a row is the same in every language: name, perhaps the type, three sizes, a share in percent, the mount
// point. macOS puts three columns of inodes before the mount point.
std::optional<Disk> disk_in(const std::vector<std::string_view>& words, std::uint64_t block) {
  std::size_t share = 4;
  while (share < words.size() && share < 6 && !words[share].ends_with('%')) ++share;
  if (share >= words.size() || share > 5 || !words[share].ends_with('%')) return std::nullopt;
  const bool types = share == 5;
  const bool inodes = words.size() == share + 5 && words[share + 3].ends_with('%');
  if (words.size() != share + (inodes ? 5U : 2U) || !words.back().starts_with('/')) return std::nullopt;
  const std::size_t first = share - 3;
  Disk disk;
  disk.path = words.back();
  if (types) disk.filesystem = words[1];
  if (!types && (words[0] == "tmpfs" || words[0] == "overlay")) disk.filesystem = words[0];
  disk.total_bytes = size_of(words[first], block);
  disk.free_bytes = size_of(words[first + 2], block);
  disk.network = is_network(disk.filesystem);
  disk.memory_backed = disk.filesystem == "tmpfs";
  if (!disk.free_bytes || !disk.total_bytes) return std::nullopt;
  return disk;
}

// The line above the rows names a column of percents without having one. Bytes of a block; none: no heading.
std::optional<std::uint64_t> heading(std::string_view line, const std::vector<std::string_view>& words) {
  if (words.size() < 5 || words.size() > 16) return std::nullopt;
  bool share = false;
  for (std::string_view word : words) {
    if (word.starts_with('/')) return std::nullopt;
    share = share || word == "Capacity" ||
            (word.ends_with('%') && number_of(word.substr(0, word.size() - 1)) == std::nullopt);
  }
  if (!share) return std::nullopt;
  const auto holds = [&](std::string_view mark) { return line.find(mark) != std::string_view::npos; };
  if (holds("512-")) return 512;
  return holds("1M-") ? 1024 * 1024 : 1024;
}

}  // namespace

Stated df_output(const Lines& lines) {
  Stated stated;
  bool below_heading = false;
  std::uint64_t block = 1024;
  for (std::string_view line : lines) {
    if (line.size() > 1000) continue;
    const auto words = fields_of(line);
    auto disk = below_heading ? disk_in(words, block) : std::nullopt;
    if (disk) {
      if (stated.disks.empty()) stated.disks_line = line;
      if (stated.disks.size() < 256) stated.disks.push_back(std::move(*disk));
      continue;
    }
    const auto found = heading(line, words);
    below_heading = found.has_value();
    if (found) block = *found;
  }
  return stated;
}

}  // namespace whyfail::probes::paste
