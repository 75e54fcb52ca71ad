// A wording as an entry of the knowledge base gives it → a pattern. Used when a knowledge base is built.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "matchers/pattern.h"

namespace whyfail::matchers {

// Exactly one of `text` (template with {holes} and …) and `expression` (RE2 as for the plain text) is not empty,
// or both are, for an exception without a message. data/README.md describes the two languages.
struct Wording {
  std::string text;
  std::string expression;
  std::vector<std::string> exceptions;
  std::vector<std::string> frames;
  std::map<std::string, CaptureKind> captures;
  std::vector<std::pair<std::string, std::string>> nearby;
  bool needs_context = false;
};

struct WordingError {
  std::string reason;  // one sentence, for the author of the entry
};

// The pattern without id, failure, severity and anchor (see anchors.h: which literal is rare is known only when all
// wordings are).
std::variant<Pattern, WordingError> compile_wording(const Wording& wording);

// "word" → CaptureKind::word …; false: no such kind.
bool parse_capture_kind(std::string_view name, CaptureKind& kind);
const char* capture_kind_name(CaptureKind kind);

// Instructions of the compiled expression; what makes compiling expensive. 0: not a valid expression.
std::size_t expression_cost(std::string_view expression);
// What RE2 says against an expression; empty: nothing.
std::string expression_error(std::string_view expression);
inline constexpr std::size_t kCostLimit = 1200;

}  // namespace whyfail::matchers
