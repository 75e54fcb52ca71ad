// Text after cleaning (no colours, prefixes, quotes, escapes, wraps), with its map back to the paste.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "matchers/span.h"

namespace whyfail::matchers {

// `text` is valid UTF-8 with \n line ends. Every byte of it knows the byte of the paste that it came from; runs of
// bytes that were taken over unchanged share one entry, so the map costs a few words a line.
// Holds up to 2 GiB (an island is never that long).
class CleanText {
 public:
  CleanText() = default;

  // Appends `piece`, whose first byte came from `origin` of the paste. `verbatim`: the following bytes came from the
  // following bytes; otherwise the whole piece stands for the bytes [origin, origin + origin_length).
  void append(std::string_view piece, std::uint64_t origin, bool verbatim, std::uint64_t origin_length = 0);

  // For a step of cleaning that makes a new text from `earlier`: appends its bytes [begin, end) with their places …
  void take(const CleanText& earlier, std::size_t begin, std::size_t end);
  // … or `piece`, which stands for its bytes [begin, end).
  void replace(std::string_view piece, const CleanText& earlier, std::size_t begin, std::size_t end);

  const std::string& text() const { return text_; }
  // The place in the paste of clean bytes [begin, end).
  Span origin(std::size_t begin, std::size_t end) const;

  // 1-based line of the paste (counted by \n in the paste) in which a clean byte, or a byte of the paste, stands.
  int line_of(std::size_t clean) const;
  int paste_line(std::uint64_t paste) const;
  // The lines of the paste: the first covered one, and where in the paste each following one begins, in order.
  void set_lines(int first, std::vector<std::uint64_t> starts);
  void take_lines(const CleanText& earlier);

 private:
  // Small, since hostile text has one a byte.
  struct Run {
    std::uint64_t paste;
    std::uint32_t clean;
    std::uint32_t verbatim : 1;
    std::uint32_t paste_length : 31;
  };
  struct Lines {
    int first = 1;
    std::vector<std::uint64_t> starts;
  };
  std::size_t run_at(std::size_t clean) const;  // index into runs_; runs_.size() if there is none

  std::string text_;
  std::vector<Run> runs_;
  std::shared_ptr<const Lines> lines_;
};

}  // namespace whyfail::matchers
