// torch's out-of-memory sentence. Up to 2.0: "Tried to allocate 86.00 MiB (GPU 0; 23.55 GiB total capacity; 23.20 GiB
// already allocated; 36.12 MiB free; 23.21 GiB reserved in total by PyTorch)" (to 1.3: "23.21 GiB cached"). From 2.1:
// "GPU 0 has a total capacty of 14.57 GiB of which 421.92 MiB is free. Process 31172 has 1.94 GiB memory in use.
// Including non-PyTorch memory, this process has 14.16 GiB memory in use." ("capacity" from 2.2;
// c10/cuda/CUDACachingAllocator.cpp.)
//
// What is free for the next try is what was free plus what the failed process itself held. XPU's sentence is left
// out: it does not say what is free.
#include <algorithm>

#include "probes/paste/scanner.h"
#include "probes/paste/stated.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

// The size that stands right before `mark` in `text`: "36.12 MiB" of "…; 36.12 MiB free".
std::optional<std::uint64_t> size_before(std::string_view text, std::string_view mark) {
  const std::size_t end = text.find(mark);
  if (end == std::string_view::npos) return std::nullopt;
  std::size_t begin = text.substr(0, end).find_last_of(";.(", end);
  // A point inside of a number is no end of a sentence.
  while (begin != std::string_view::npos && begin > 0 && text[begin] == '.' && begin + 1 < end &&
         text[begin + 1] != ' ') {
    begin = text.substr(0, begin).find_last_of(";.(");
  }
  Scanner scanner(text.substr(0, end), begin == std::string_view::npos ? 0 : begin + 1);
  scanner.skip_blanks();
  return scanner.take_size();
}

std::optional<std::uint64_t> size_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  Scanner scanner(text, at + mark.size());
  scanner.skip_blanks();
  return scanner.take_size();
}

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

Gpu finished(std::uint64_t index, std::uint64_t total, std::uint64_t free, std::uint64_t own) {
  Gpu gpu;
  gpu.index = static_cast<int>(std::min<std::uint64_t>(index, 4095));
  gpu.total_bytes = total;
  gpu.free_bytes = std::min(total, free + own);
  return gpu;
}

// "(GPU 0; 23.55 GiB total capacity; …)"; `text` begins after "(GPU ".
std::optional<Gpu> first_form(std::string_view text) {
  text = text.substr(0, text.find(')'));
  Scanner scanner(text);
  const auto index = scanner.take_integer();
  if (!index || !scanner.take("; ")) return std::nullopt;
  const auto total = size_before(text, " total capacity");
  const auto free = size_before(text, " free");
  if (!total || !free) return std::nullopt;
  auto own = size_before(text, " reserved in total");
  if (!own) own = size_before(text, " cached");
  return finished(*index, *total, *free, own.value_or(0));
}

// On AMD cards and in containers torch does not find its own process in the driver's list; what its allocator holds
// stands in the next sentence.
std::uint64_t held_by_the_process(std::string_view text) {
  if (const auto whole = size_after(text, "this process has ")) return *whole;
  const auto allocated = size_after(text, "Of the allocated memory ");
  if (!allocated) return 0;
  return *allocated + size_after(text, " is allocated by PyTorch, and ").value_or(0);
}

// "GPU 0 has a total capacity of …"; `text` begins after "GPU ".
std::optional<Gpu> second_form(std::string_view text) {
  text = text.substr(0, 2000);
  Scanner scanner(text);
  const auto index = scanner.take_integer();
  if (!index || !scanner.take(" has a total capac")) return std::nullopt;
  const auto total = size_after(text, " of ");
  const auto free = size_after(text, " of which ");
  if (!total || !free) return std::nullopt;
  Gpu gpu = finished(*index, *total, *free, held_by_the_process(text));
  gpu.holders = other_processes(text);
  gpu.holders_known = !gpu.holders.empty();
  return gpu;
}

std::optional<Gpu> sentence(std::string_view text) {
  constexpr std::string_view mark = "GPU ";
  for (std::size_t at = text.find(mark); at != std::string_view::npos && at < 200; at = text.find(mark, at + 1)) {
    const std::string_view rest = text.substr(at + mark.size());
    if (auto gpu = at > 0 && text[at - 1] == '(' ? first_form(rest) : second_form(rest)) return gpu;
  }
  return std::nullopt;
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
      std::string text(lines[i].substr(at + start.size(), 2000));
      for (std::size_t j = i + 1; j < std::min(i + 12, lines.size()) && !trimmed(lines[j]).empty(); ++j) {
        text += ' ';
        text += trimmed(lines[j]).substr(0, 400);
      }
      auto gpu = sentence(text);
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
