// Windows Task Manager, Performance, as people copy or type it: "Memory  19.1/31.9 GB (60%)" and "GPU 0  NAME Dedicated
// GPU memory 7.7/8.0 GB  Shared GPU memory 0.4/15.9 GB". The words are in the system's language, so the shape counts.
#include <algorithm>

#include "probes/byte_size.h"
#include "probes/paste/scanner.h"
#include "probes/paste/stated.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

struct Pair {
  std::uint64_t used = 0;
  std::uint64_t total = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

// "19.1/31.9 GB" at `slash`.
std::optional<Pair> pair_at(std::string_view line, std::size_t slash) {
  std::size_t begin = slash;
  while (begin > 0 && (std::string_view("0123456789.,").find(line[begin - 1]) != std::string_view::npos)) --begin;
  Scanner left(line.substr(0, slash), begin);
  const auto used = left.take_decimal();
  if (!used || !left.at_end()) return std::nullopt;
  Scanner right(line, slash + 1);
  const auto total = right.take_decimal();
  right.skip_blanks();
  std::size_t length = 0;
  const auto unit = total ? printed_unit(right.rest(), length) : std::nullopt;
  if (!unit) return std::nullopt;
  const auto used_bytes = times_unit(*used, *unit);
  const auto total_bytes = times_unit(*total, *unit);
  if (!used_bytes || !total_bytes || *used_bytes > *total_bytes || *total_bytes == 0) return std::nullopt;
  return Pair{*used_bytes, *total_bytes, begin, right.at() + length};
}

std::optional<Pair> first_pair(std::string_view line) {
  for (std::size_t at = line.find('/'); at != std::string_view::npos; at = line.find('/', at + 1)) {
    if (const auto pair = pair_at(line, at)) return pair;
  }
  return std::nullopt;
}

// The name is set apart by at least two blanks or a tab on both sides.
std::string name_before(std::string_view text) {
  text = trimmed(text);
  const std::size_t wide = std::min(text.find("  "), text.find('\t'));
  return std::string(trimmed(text.substr(0, wide)));
}

std::optional<Gpu> card(std::string_view line) {
  Scanner scanner(trimmed(line));
  if (!scanner.take("GPU ")) return std::nullopt;
  const auto index = scanner.take_integer();
  const auto pair = first_pair(scanner.rest());
  if (!index || *index > 4095 || !pair) return std::nullopt;
  const std::string name = name_before(scanner.rest().substr(0, pair->begin));
  if (vendor_of(name).empty()) return std::nullopt;
  Gpu gpu;
  gpu.name = name;
  gpu.vendor = vendor_of(name);
  gpu.total_bytes = pair->total;
  gpu.free_bytes = pair->total - pair->used;
  gpu.driver_model = "wddm";
  return gpu;
}

// "Memory  19.1/31.9 GB (60%)" and nothing else on the line.
std::optional<Pair> memory_line(std::string_view line) {
  const auto pair = first_pair(line);
  if (!pair) return std::nullopt;
  Scanner rest(line, pair->end);
  rest.skip_blanks();
  if (!rest.take("(") || !rest.take_integer() || !(rest.take("%)") || rest.take(" %)"))) return std::nullopt;
  const std::string_view label = trimmed(line.substr(0, pair->begin));
  if (label.empty() || label.size() > 40 || label.find_first_of("0123456789/|=") != std::string_view::npos) {
    return std::nullopt;
  }
  return pair;
}

}  // namespace

Stated task_manager(const Lines& lines) {
  Stated stated;
  std::vector<Gpu> gpus;
  for (std::string_view line : lines) {
    if (line.find('/') == std::string_view::npos || line.size() > 1000) continue;
    if (auto gpu = card(line)) {
      if (gpus.empty()) stated.gpus_line = line;
      if (gpus.size() < 64) gpus.push_back(std::move(*gpu));
    } else if (const auto memory = memory_line(trimmed(line))) {
      stated.memory_total = memory->total;
      stated.memory_line = line;
      stated.memory_available = memory->total - memory->used;
    }
  }
  // Task Manager counts every adapter, also those that no program computes on; a single one is CUDA's first.
  const auto nvidia = std::count_if(gpus.begin(), gpus.end(), [](const Gpu& gpu) { return gpu.vendor == "nvidia"; });
  for (Gpu& gpu : gpus) {
    if (gpu.vendor == "nvidia" && nvidia == 1) gpu.index = 0;
  }
  if (!gpus.empty()) stated.gpus = std::move(gpus);
  return stated;
}

}  // namespace whyfail::probes::paste
