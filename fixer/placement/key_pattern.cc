// Longest repetition first; where the rest does not match after it, that is remembered: time is the product of the two
// lengths at most, times the longest repetition.
#include "fixer/placement/key_pattern.h"

#include <algorithm>
#include <vector>

namespace whyfail::fixer {

namespace {

constexpr std::size_t kLongestKey = 200;

bool is_repetition(char c) { return c == '*' || c == '+' || c == '?'; }

struct Element {
  char character = '.';
  bool optional = false;
  bool repeated = false;
};

std::vector<Element> elements_of(std::string_view key) {
  std::vector<Element> elements;
  for (std::size_t i = 0; i < key.size(); ++i) {
    Element element{key[i], false, false};
    if (i + 1 < key.size() && is_repetition(key[i + 1])) {
      ++i;
      element.optional = key[i] != '+';
      element.repeated = key[i] != '?';
    }
    elements.push_back(element);
  }
  return elements;
}

class Match {
 public:
  Match(std::string_view key, std::string_view text, std::size_t& steps)
      : elements_(elements_of(key)), text_(text), steps_(steps), failed_(elements_.size() * (text.size() + 1)) {}

  std::optional<std::size_t> end_of(std::size_t element, std::size_t at) {
    if (element == elements_.size()) return at;
    const std::size_t state = element * (text_.size() + 1) + at;
    if (failed_[state]) return std::nullopt;
    const Element& wanted = elements_[element];
    const std::size_t most = wanted.repeated ? text_.size() - at : std::min<std::size_t>(1, text_.size() - at);
    std::size_t count = 0;
    while (count < most && fits(wanted.character, text_[at + count])) ++count;
    const std::size_t least = wanted.optional ? 0 : 1;
    for (std::size_t taken = count + 1; taken-- > least;) {
      if (steps_ == 0) return std::nullopt;
      --steps_;
      if (const std::optional<std::size_t> end = end_of(element + 1, at + taken)) return end;
    }
    failed_[state] = true;
    return std::nullopt;
  }

 private:
  static bool fits(char wanted, char c) { return wanted == '.' || wanted == c; }

  std::vector<Element> elements_;
  std::string_view text_;
  std::size_t& steps_;
  std::vector<bool> failed_;  // by element and place in the text
};

}  // namespace

bool repeats_characters(std::string_view key) {
  if (key.empty() || key.size() > kLongestKey || is_repetition(key.front())) return false;
  if (key.find_first_of("\\^$()[]{}|") != std::string_view::npos) return false;
  bool any = false;
  for (std::size_t i = 1; i < key.size(); ++i) {
    if (!is_repetition(key[i])) continue;
    if (is_repetition(key[i - 1])) return false;
    any = true;
  }
  return any;
}

std::optional<std::size_t> matched_length(std::string_view key, std::string_view text, std::size_t& steps) {
  return Match(key, text, steps).end_of(0, 0);
}

}  // namespace whyfail::fixer
