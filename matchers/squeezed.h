// The form of a text in which wordings are looked for: what pasting and showing change is gone.
//
// Dropped: white space of every kind (also no-break and zero-width), quotes and backticks of every kind (' " ` ´ ‘ ’ ‚
// ‛ “ ” „ ‟ ‹ › « » ′ ″), backslashes that escape a quote or a sign of Markdown. Made equal: dashes (‐ ‑ ‒ – — ― −) are
// '-', the ellipsis sign is
// '...', full-width ASCII is ASCII. Everything else, letter case too, stands as it was.
//
// So a message matches wherever it was wrapped, in whatever quotes it stands. Every byte of the form knows the byte
// of the text that it came from, so captures come out as they were written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whyfail::matchers {

class Squeezed {
 public:
  // Of bytes [begin, end) of `text`, which must be valid UTF-8 and outlive the object.
  Squeezed(std::string_view text, std::size_t begin, std::size_t end);
  explicit Squeezed(std::string_view text) : Squeezed(text, 0, text.size()) {}

  const std::string& text() const { return squeezed_; }
  // Where in the original text the squeezed byte came from; for one past the last byte: the end of the last sign.
  std::size_t origin(std::size_t squeezed) const;
  // One past the original sign that the squeezed byte came from.
  std::size_t origin_end(std::size_t squeezed) const;

 private:
  std::string squeezed_;
  std::vector<std::uint32_t> origins_;  // offset from begin_, one a byte
  std::vector<std::uint8_t> lengths_;   // bytes of the original sign
  std::size_t begin_;
};

// The form alone, for literals.
std::string squeeze(std::string_view text);

// One sign of `text` at `position`: its length in bytes, and what it becomes (nothing, or one to three bytes).
struct SqueezedSign {
  std::size_t length = 1;
  std::string_view becomes;
};
SqueezedSign squeeze_sign(std::string_view text, std::size_t position);

}  // namespace whyfail::matchers
