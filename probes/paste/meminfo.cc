// The lines of /proc/meminfo: "MemTotal:       65780000 kB".
#include "probes/paste/scanner.h"
#include "probes/paste/stated.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

std::optional<std::uint64_t> field(std::string_view line, std::string_view name) {
  Scanner scanner(trimmed(line));
  if (!scanner.take(name)) return std::nullopt;
  scanner.skip_blanks();
  const auto kilobytes = scanner.take_integer();
  if (!kilobytes || !scanner.take(" kB") || *kilobytes > (std::uint64_t{1} << 50U)) return std::nullopt;
  return *kilobytes * 1024;
}

}  // namespace

Stated meminfo(const Lines& lines) {
  Stated stated;
  for (std::string_view line : lines) {
    if (const auto total = field(line, "MemTotal:")) {
      stated.memory_total = total;
      stated.memory_line = line;
    }
    if (const auto available = field(line, "MemAvailable:")) stated.memory_available = available;
    if (const auto swap = field(line, "SwapFree:")) stated.swap_free = swap;
  }
  if (!stated.memory_total) return {};
  if (stated.memory_available && *stated.memory_available > *stated.memory_total) stated.memory_available.reset();
  return stated;
}

}  // namespace whyfail::probes::paste
