// Puts swapped letters in order and confirms what comes out.
#include "matchers/typed_off.h"

#include <string>
#include <utility>
#include <vector>

#include "matchers/anchors.h"
#include "matchers/cause.h"
#include "matchers/cut_message.h"

namespace whyfail::matchers {
namespace {

constexpr std::size_t most_swaps = 3;
// A wording with fewer signs is not told apart from others when letters may change places.
constexpr std::size_t least_literals = 40;
constexpr std::size_t longest_capture = 200;
constexpr std::size_t longest_text = 4096;

bool is_letter(char sign) { return sign >= 'a' && sign <= 'z'; }

// Whether `text` begins with `literal` up to swapped letters, whose places are added to `swaps`.
bool begins_with(std::string_view text, std::string_view literal, std::size_t offset, std::vector<std::size_t>& swaps) {
  if (text.size() < literal.size()) return false;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    if (text[i] == literal[i]) continue;
    const bool swapped = i + 1 < literal.size() && text[i] == literal[i + 1] && text[i + 1] == literal[i];
    if (!swapped || !is_letter(text[i]) || !is_letter(text[i + 1])) return false;
    found.push_back(offset + i);
    if (found.size() > most_swaps) return false;
    ++i;
  }
  swaps.insert(swaps.end(), found.begin(), found.end());
  return true;
}

// Places of swapped letters in `message`, if it holds all literals of the pattern in order; else none.
std::vector<std::size_t> swaps_of(const Pattern& pattern, std::string_view message) {
  std::vector<std::size_t> swaps;
  std::size_t position = 0;
  for (std::size_t i = 0; i < pattern.literals.size(); ++i) {
    const std::size_t furthest = i == 0 && begins_with_literal(pattern) ? position : position + longest_capture;
    std::size_t place = position;
    while (place <= furthest && place < message.size() &&
           !begins_with(message.substr(place), pattern.literals[i], place, swaps)) {
      ++place;
    }
    if (place > furthest || place >= message.size()) return {};
    position = place + pattern.literals[i].size();
  }
  return swaps.size() <= most_swaps ? swaps : std::vector<std::size_t>();
}

std::string_view class_ending_at(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0) {
    const char sign = text[begin - 1];
    const bool in_name = is_letter(sign) || (sign >= 'A' && sign <= 'Z') || sign == '.' || sign == '_';
    if (!in_name) break;
    --begin;
  }
  return text.substr(begin, end - begin);
}

}  // namespace

std::optional<Confirmed> confirm_typed_off(Confirmation& confirmation, const Piece& piece, Stretch stretch,
                                           std::string_view exception) {
  const std::string_view message = std::string_view(piece.squeezed.text()).substr(stretch.begin, longest_text);
  for (const Pattern& pattern : opening_at(confirmation.source(), message, 0)) {
    if (pattern.severity == Severity::warning || pattern.exceptions.empty() || !may_carry(pattern, exception)) continue;
    if (literal_length(pattern) < least_literals || !pattern.frames.empty() || pattern.needs_context) continue;
    const std::vector<std::size_t> swaps = swaps_of(pattern, message);
    if (swaps.empty()) continue;
    std::string ordered(piece.clean);
    for (const std::size_t swap : swaps) {
      const std::size_t first = piece.squeezed.origin(stretch.begin + swap);
      const std::size_t second = piece.squeezed.origin(stretch.begin + swap + 1);
      std::swap(ordered[first], ordered[second]);
    }
    const std::size_t begin = piece.squeezed.origin(stretch.begin);
    const std::size_t end = piece.squeezed.origin(stretch.end);
    const Piece repaired{ordered, Squeezed(ordered, begin, end)};
    const Stretch whole{0, repaired.squeezed.text().size(), stretch.prose};
    if (auto confirmed = confirmation.confirm(pattern, repaired, whole)) return confirmed;
  }
  return std::nullopt;
}

std::optional<TypedOff> find_typed_off(Confirmation& confirmation, const CleanText& clean) {
  const std::string_view text = clean.text();
  if (text.size() > longest_text) return std::nullopt;
  for (std::size_t colon = text.rfind("Error: "); colon != std::string_view::npos;
       colon = colon == 0 ? std::string_view::npos : text.rfind("Error: ", colon - 1)) {
    const std::string_view exception = class_ending_at(text, colon + 5);
    const Piece piece{text, Squeezed(text, colon + 7, text.size())};
    const Stretch stretch{0, piece.squeezed.text().size(), true};
    if (stretch.end == 0) continue;
    if (auto confirmed = confirm_typed_off(confirmation, piece, stretch, exception)) {
      return TypedOff{std::move(*confirmed), exception};
    }
  }
  return std::nullopt;
}

}  // namespace whyfail::matchers
