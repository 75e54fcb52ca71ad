// Compares the literals of wordings with a text that ends too early.
#include "matchers/cut_message.h"

#include <algorithm>
#include <vector>

#include "matchers/anchors.h"
#include "matchers/cause.h"

namespace whyfail::matchers {
namespace {

// A wording may begin with a capture of so many signs before its first literal.
constexpr std::size_t longest_first_capture = 120;

// How many bytes at the end of `text` are the beginning of `literal`.
std::size_t overlap(std::string_view text, std::string_view literal) {
  for (std::size_t length = std::min(text.size(), literal.size()); length > 0; --length) {
    if (text.substr(text.size() - length) == literal.substr(0, length)) return length;
  }
  return 0;
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

bool begins_like(const Pattern& pattern, std::string_view message) {
  std::size_t position = 0;
  std::size_t said = 0;
  for (std::size_t i = 0; i < pattern.literals.size(); ++i) {
    const std::string& literal = pattern.literals[i];
    const std::string_view rest = message.substr(position);
    if (i == 0 && begins_with_literal(pattern)) {
      const std::size_t length = std::min(rest.size(), literal.size());
      if (rest.substr(0, length) != std::string_view(literal).substr(0, length)) return false;
      if (length < literal.size()) return length >= kOpeningWindow;
    }
    const std::size_t found = rest.find(literal);
    if (found == std::string_view::npos) return said + overlap(rest, literal) >= kOpeningWindow;
    if (i == 0 && found > longest_first_capture) return false;
    position += found + literal.size();
    said += literal.size();
  }
  // All of it is there: then it is no cut message, or one of another wording.
  return false;
}

std::optional<Pattern> find_cut_message(const PatternSource& patterns, std::string_view message,
                                        std::string_view exception) {
  if (message.empty() || message.back() == '.' || message.back() == '!' || message.back() == '?') return std::nullopt;
  std::optional<Pattern> known;
  const std::size_t last = std::min(message.size(), longest_first_capture);
  for (std::size_t position = 0; position < last; ++position) {
    for (Pattern& pattern : opening_at(patterns, message, position)) {
      if (position > 0 && begins_with_literal(pattern)) continue;
      if (pattern.severity == Severity::warning || pattern.exceptions.empty()) continue;
      if (!may_carry(pattern, exception) || !begins_like(pattern, message)) continue;
      if (known && known->failure != pattern.failure) return std::nullopt;
      if (!known) known = std::move(pattern);
    }
  }
  return known;
}

}  // namespace whyfail::matchers
