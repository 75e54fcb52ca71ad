// Reads torch's out-of-memory message, sentence by sentence.
#include "probes/memory_error.h"

#include <algorithm>

#include "probes/paste/scanner.h"

namespace whyfail::probes {
namespace {

constexpr std::size_t longest = 2000;

std::optional<std::uint64_t> size_at(std::string_view text, std::size_t at) {
  paste::Scanner scanner(text, at);
  scanner.skip_blanks();
  return scanner.take_size();
}

std::optional<std::uint64_t> size_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::nullopt : size_at(text, at + mark.size());
}

// The size of a part of "(GPU 0; 10.76 GiB total capacity; 9.87 GiB already allocated; …)".
std::optional<std::uint64_t> part(std::string_view parts, std::string_view what) {
  const std::size_t end = parts.find(what);
  if (end == std::string_view::npos) return std::nullopt;
  const std::size_t begin = parts.substr(0, end).rfind("; ");
  return size_at(parts, begin == std::string_view::npos ? 0 : begin + 2);
}

std::uint64_t beyond(std::uint64_t whole, std::uint64_t inner) { return whole - std::min(whole, inner); }

std::optional<MemoryError> to_2_0(std::string_view parts, std::uint64_t requested) {
  paste::Scanner scanner(parts);
  const auto gpu = scanner.take_integer();
  const auto total = part(parts, " total capacity");
  const auto free = part(parts, " free");
  if (!gpu || !total || !free) return std::nullopt;
  auto own = part(parts, " reserved in total");
  const auto allocated = part(parts, " already allocated");
  if (const auto cached = own ? std::nullopt : part(parts, " cached")) own = *cached;
  MemoryError error{requested, static_cast<int>(std::min<std::uint64_t>(*gpu, 4095)), *total, *free, own, allocated,
                    {}};
  // To 1.3 "cached" is what is kept beside the allocated memory when it is the smaller one.
  if (own && allocated) error.unallocated_bytes = *own >= *allocated ? beyond(*own, *allocated) : *own;
  return error;
}

std::optional<MemoryError> from_2_1(std::string_view text, std::uint64_t requested) {
  paste::Scanner scanner(text);
  const auto gpu = scanner.take_integer();
  const auto total = size_after(text, " of ");
  const auto free = size_after(text, " of which ");
  if (!gpu || !total || !free) return std::nullopt;
  return MemoryError{requested,
                     static_cast<int>(std::min<std::uint64_t>(*gpu, 4095)),
                     *total,
                     *free,
                     size_after(text, "this process has "),
                     size_after(text, "Of the allocated memory "),
                     size_after(text, " is allocated by PyTorch, and ")};
}

}  // namespace

std::optional<MemoryError> memory_error(std::string_view message) {
  constexpr std::string_view start = " out of memory. Tried to allocate ";
  const std::size_t at = message.find(start);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view text = message.substr(at + start.size(), longest);
  const auto requested = size_at(text, 0);
  const std::size_t gpu = text.find("GPU ");
  if (!requested || gpu == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(gpu + 4);
  if (gpu > 0 && text[gpu - 1] == '(') return to_2_0(rest.substr(0, rest.find(')')), *requested);
  return from_2_1(rest, *requested);
}

}  // namespace whyfail::probes
