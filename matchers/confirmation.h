// Last step: of the patterns whose anchor stands in a piece of text, those whose literals are all there, in order, are
// compiled one after the other, the most particular first, until one matches. Works on the squeezed form (squeezed.h).
//
// A pattern must begin where the message begins. Where it ends:
//  * an expression that ends in ".*" (a wording that ends in …) leaves open what follows;
//  * any other must end with the message, at a line end of it, or with a full stop that a blank follows (text that a
//    person wrote after it on the same line).
// A short wording (fewer than 16 signs beside its captures: "Killed") has to be a line of its own where there is no
// traceback.
// A capture of kind word or path holds no blank in the text itself, unless it is one of a line that was broken.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "matchers/pattern.h"
#include "matchers/squeezed.h"
#include "matchers/work.h"

namespace whyfail::matchers {

struct Confirmed {
  Pattern pattern;
  std::map<std::string, std::string> captures;
  std::size_t begin = 0;  // of the message, in the clean text
  std::size_t end = 0;
};

// A piece of clean text in its squeezed form.
struct Piece {
  std::string_view clean;
  Squeezed squeezed;
};

// Where a message may begin and end in a piece, in squeezed bytes.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool prose = false;  // a person's text may follow on the same line
};

// Signs of all literals of a wording; of literal alternatives, those of the shortest.
std::size_t literal_length(const Pattern& pattern);
inline constexpr std::size_t kShortWording = 16;

class Confirmation {
 public:
  explicit Confirmation(const PatternSource& patterns);
  ~Confirmation();
  Confirmation(const Confirmation&) = delete;
  Confirmation& operator=(const Confirmation&) = delete;

  // Patterns whose anchor and other literals stand in bytes [begin, end) of a squeezed text, the most particular first
  // (the longest literals). `anchor_position` is the place of its first anchor.
  struct Candidate {
    const Pattern* pattern;
    std::size_t anchor_position;
  };
  std::vector<Candidate> candidates(std::string_view squeezed, std::size_t begin, std::size_t end);

  // Whether the pattern matches the message that begins at stretch.begin.
  std::optional<Confirmed> confirm(const Pattern& pattern, const Piece& piece, Stretch stretch);

  Work work() const;
  const PatternSource& source() const { return source_; }

 private:
  struct Compiled;
  const std::vector<Pattern>& patterns_with(std::uint64_t hash);

  const PatternSource& source_;
  std::unordered_map<std::uint64_t, std::vector<Pattern>> looked_up_;
  std::unique_ptr<Compiled> compiled_;
  Work work_;
};

}  // namespace whyfail::matchers
