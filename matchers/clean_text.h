// Text after cleaning (no colours, prefixes, quotes, escapes, wraps), with its map back to the paste.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "matchers/span.h"

namespace whyfail::matchers {

// `text` is valid UTF-8 with \n line ends. Every byte of it knows the byte of the paste that it came from; runs of
// bytes that were taken over unchanged share one entry, so the map costs a few words a line.
class CleanText {
 public:
  CleanText() = default;

  // Appends `piece`, whose first byte came from `origin` of the paste. `verbatim`: the following bytes came from the
  // following bytes; otherwise the whole piece stands for the bytes [origin, origin + origin_length).
  void append(std::string_view piece, std::uint64_t origin, bool verbatim, std::uint64_t origin_length = 0);

  const std::string& text() const { return text_; }
  // The place in the paste of clean bytes [begin, end).
  Span origin(std::size_t begin, std::size_t end) const;

 private:
  struct Run {
    std::size_t clean;
    std::uint64_t paste;
    std::uint64_t paste_length;
    bool verbatim;
  };
  const Run* run_at(std::size_t clean) const;

  std::string text_;
  std::vector<Run> runs_;
};

}  // namespace whyfail::matchers
