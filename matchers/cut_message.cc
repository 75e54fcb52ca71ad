// Compares the beginnings of what wordings match with a text that ends too early.
#include "matchers/cut_message.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "matchers/anchors.h"
#include "matchers/cause.h"
#include "matchers/expression.h"

namespace whyfail::matchers {
namespace {

// The opening of a wording is looked for in so many signs.
constexpr std::size_t furthest_opening = 240;
// A message that ends with its sentence is whole, and another one.
bool ends_sentence(std::string_view message) {
  return message.back() == '.' || message.back() == '!' || message.back() == '?';
}

bool begins_like(const Pattern& pattern, std::string_view message, CutIn cut) {
  const std::string expression = beginnings_of(pattern.expression, kOpeningWindow, cut);
  if (expression.empty()) return false;
  const RE2 beginnings(expression, expression_options());
  return beginnings.ok() && RE2::FullMatch(re2::StringPiece(message.data(), message.size()), beginnings);
}

// The wording that `message` begins, if all that it can begin are of one failure. `ambiguous`: they are not.
std::optional<Pattern> find_beginning(const PatternSource& patterns, std::string_view message,
                                      std::string_view exception, CutIn cut, bool& ambiguous) {
  std::optional<Pattern> known;
  const std::size_t last = std::min(message.size(), furthest_opening);
  for (std::size_t position = 0; position < last; ++position) {
    for (Pattern& pattern : opening_at(patterns, message, position)) {
      if (known && known->failure == pattern.failure) continue;
      if (pattern.severity == Severity::warning || pattern.exceptions.empty()) continue;
      if (!may_carry(pattern, exception) || !begins_like(pattern, message, cut)) continue;
      ambiguous = known.has_value();
      if (ambiguous) return std::nullopt;
      known = std::move(pattern);
    }
  }
  return known;
}

}  // namespace

bool begins_with_literal(const Pattern& pattern) {
  const char first = pattern.expression.empty() ? '(' : pattern.expression.front();
  return first != '(' && first != '.' && first != '[';
}

std::vector<Pattern> opening_at(const PatternSource& patterns, std::string_view message, std::size_t position) {
  if (position + kOpeningWindow > message.size()) return {};
  const std::uint64_t hash = opening_hash(message.substr(position));
  if (!may_hold(patterns.anchor_filter(), hash)) return {};
  return patterns.patterns_with(hash);
}

std::optional<Pattern> find_cut_message(const PatternSource& patterns, std::string_view message,
                                        std::string_view exception) {
  if (message.empty() || ends_sentence(message)) return std::nullopt;
  // A hole takes any text: what stops within a library's own words says more.
  bool ambiguous = false;
  auto known = find_beginning(patterns, message, exception, CutIn::literals, ambiguous);
  if (known || ambiguous) return known;
  return find_beginning(patterns, message, exception, CutIn::anything, ambiguous);
}

}  // namespace whyfail::matchers
