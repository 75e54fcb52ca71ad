// Reads counts around the names of cards.
#include "probes/paste/card_counts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "probes/known_cards.h"
#include "probes/paste/scanner.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

constexpr std::array<std::pair<std::string_view, std::size_t>, 12> counting_words = {{{"dual", 2},
                                                                                      {"two", 2},
                                                                                      {"pair of", 2},
                                                                                      {"couple of", 2},
                                                                                      {"triple", 3},
                                                                                      {"three", 3},
                                                                                      {"quad", 4},
                                                                                      {"four", 4},
                                                                                      {"six", 6},
                                                                                      {"eight", 8},
                                                                                      {"zwei", 2},
                                                                                      {"deux", 2}}};

constexpr std::string_view articles[] = {"a", "an", "single", "one", "my", "1x"};

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }
bool is_letter_or_digit(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; }

// Whether `text` ends with the whole words `words`.
bool ends_with_words(std::string_view text, std::string_view words) {
  if (!text.ends_with(words)) return false;
  return text.size() == words.size() || !is_letter_or_digit(text[text.size() - words.size() - 1]);
}

// The integer at the end of `text`, if it is a number of cards that one computer may have.
std::optional<std::size_t> number_at_end(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  if (begin > 0 && (is_letter_or_digit(text[begin - 1]) || text[begin - 1] == '.')) return std::nullopt;
  const auto count = number_of(text.substr(begin));
  return count && *count >= 1 && *count <= 64 ? std::optional(static_cast<std::size_t>(*count)) : std::nullopt;
}

bool is_plural(std::string_view line, const NamedCard& name) {
  const std::string_view after = line.substr(name.end);
  for (std::string_view mark : {"s", "'s", "’s"}) {
    if (after.starts_with(mark) && (after.size() == mark.size() || !is_letter_or_digit(after[mark.size()])))
      return true;
  }
  const std::string next = lower_case(trimmed(after).substr(0, 5));
  return next.starts_with("gpus") || next.starts_with("cards");
}

// "a 4090 token prompt": a number of something else.
bool counts_something(std::string_view after) {
  const std::string next = lower_case(trimmed(after).substr(0, 10));
  constexpr std::string_view counted[] = {"token", "line", "step", "sample", "image",
                                          "word",  "char", "row",  "mb",     "mib"};
  return std::any_of(std::begin(counted), std::end(counted),
                     [&](std::string_view word) { return next.starts_with(word); });
}

// " Ti", "Ti", " SUPER": another card than the number alone.
std::size_t end_with_suffix(std::string_view line, std::size_t end) {
  Scanner scanner(line, end);
  scanner.skip_blanks();
  for (std::string_view suffix : {"ti", "super"}) {
    Scanner word = scanner;
    if (word.take_any_case(suffix) && !is_letter_or_digit(word.next())) return word.at();
  }
  return end;
}

}  // namespace

std::size_t count_before(std::string_view before) {
  before = trimmed(before);
  const std::string lower = lower_case(before.substr(before.size() - std::min<std::size_t>(before.size(), 16)));
  for (const auto& [words, count] : counting_words) {
    if (ends_with_words(lower, words)) return count;
  }
  for (std::string_view times : {"x", "X", "×", "*", "张", "块", "枚", "장"}) {
    if (before.ends_with(times))
      return number_at_end(trimmed(before.substr(0, before.size() - times.size()))).value_or(1);
  }
  return 1;
}

std::size_t count_after(std::string_view after) {
  Scanner scanner(after);
  scanner.skip_blanks();
  if (!scanner.take("x") && !scanner.take("×")) return 1;
  scanner.skip_blanks();
  const auto count = scanner.take_integer();
  return count && *count >= 1 && *count <= 64 ? static_cast<std::size_t>(*count) : 1;
}

std::size_t count_of(std::string_view line, const NamedCard& name) {
  const std::string_view before = line.substr(0, name.begin);
  const std::size_t count = count_before(before);
  if (count > 1 || !before.ends_with(" ") || !is_plural(line, name)) return count;
  return number_at_end(trimmed(before)).value_or(1);
}

std::optional<NamedCard> bare_card_number(std::string_view line) {
  for (std::size_t at = 1; at + 4 <= line.size(); ++at) {
    if (!is_digit(line[at]) || is_digit(line[at - 1])) continue;
    const std::string_view before = line.substr(0, at);
    const bool glued = count_before(before) > 1 && !before.ends_with(" ");
    if (!before.ends_with(" ") && !glued) continue;
    std::size_t end = at;
    while (end < line.size() && is_digit(line[end])) ++end;
    if (end - at != 4 || line[at + 2] < '6' || line[at + 3] != '0') continue;
    NamedCard name{at, end, "nvidia"};
    const bool plural = is_plural(line, name);
    name.end = end_with_suffix(line, end);
    if (name.end == end && end < line.size() && is_letter_or_digit(line[end]) && !plural) continue;
    if (counts_something(line.substr(name.end))) continue;
    const std::string article = lower_case(trimmed(before));
    const bool counted =
        count_of(line, name) > 1 || std::any_of(std::begin(articles), std::end(articles),
                                                [&](std::string_view word) { return ends_with_words(article, word); });
    if (counted && known_card("rtx " + std::string(line.substr(at, name.end - at)))) return name;
  }
  return std::nullopt;
}

}  // namespace whyfail::probes::paste
