// A card as torch's out-of-memory sentence tells it (memory_error.h has its forms).
//
// What is free for the next try is what was free plus what the failed process itself held. XPU's sentence is left
// out: it does not say what is free.
#include <algorithm>

#include "probes/memory_error.h"
#include "probes/paste/scanner.h"
#include "probes/paste/stated.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

std::vector<Holder> other_processes(std::string_view text) {
  std::vector<Holder> holders;
  constexpr std::string_view mark = "Process ";
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
    Scanner scanner(text, at + mark.size());
    const auto pid = scanner.take_integer();
    if (!pid || !scanner.take(" has ")) continue;
    const auto bytes = scanner.take_size();
    if (bytes && scanner.take(" memory in use") && holders.size() < 64) {
      holders.push_back({static_cast<std::int64_t>(*pid), {}, bytes});
    }
  }
  return holders;
}

// On AMD cards and in containers torch does not find its own process in the driver's list; what its allocator holds
// is known all the same.
std::uint64_t held_by_the_process(const MemoryError& error) {
  return error.own_bytes.value_or(error.allocated_bytes.value_or(0) + error.unallocated_bytes.value_or(0));
}

std::optional<Gpu> card(std::string_view text) {
  const auto error = memory_error(text);
  if (!error) return std::nullopt;
  Gpu gpu;
  gpu.index = error->gpu;
  gpu.total_bytes = error->total_bytes;
  gpu.free_bytes = std::min(error->total_bytes, error->free_bytes + held_by_the_process(*error));
  gpu.holders = other_processes(text);
  gpu.holders_known = !gpu.holders.empty();
  return gpu;
}

}  // namespace

Stated out_of_memory(const Lines& lines) {
  Stated stated;
  std::vector<Gpu> gpus;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::string_view start : {"CUDA out of memory. ", "HIP out of memory. "}) {
      const std::size_t at = lines[i].find(start);
      if (at == std::string_view::npos) continue;
      // The sentence may have been wrapped: the next lines belong to it.
      std::string text(lines[i].substr(at, 2000));
      for (std::size_t j = i + 1; j < std::min(i + 12, lines.size()) && !trimmed(lines[j]).empty(); ++j) {
        text += ' ';
        text += trimmed(lines[j]).substr(0, 400);
      }
      auto gpu = card(text);
      if (!gpu) continue;
      gpu->vendor = start.starts_with("HIP") ? "amd" : "nvidia";
      if (gpus.empty()) stated.gpus_line = lines[i];
      const auto same =
          std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& known) { return known.index == gpu->index; });
      if (same != gpus.end()) {
        *same = *gpu;
      } else if (gpus.size() < 64) {
        gpus.push_back(*gpu);
      }
    }
  }
  std::sort(gpus.begin(), gpus.end(), [](const Gpu& one, const Gpu& other) { return one.index < other.index; });
  if (!gpus.empty()) stated.gpus = std::move(gpus);
  return stated;
}

}  // namespace whyfail::probes::paste
