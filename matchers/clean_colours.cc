// Terminal sequences: raw, typed out (\x1b[, \u001b[, ^[[), or with their escape character lost; hyperlinks.
#include <array>
#include <string_view>

#include "matchers/clean_steps.h"
#include "matchers/text_lines.h"

namespace whyfail::matchers {
namespace {

constexpr std::size_t kLongestLink = 4096;

// Length of what stands for the escape character at the start of `text`; 0: nothing does.
std::size_t escape_length(std::string_view text) {
  constexpr std::array<std::string_view, 10> kForms = {"\x1b",    "\\x1b", "\\u001b", "\\033", "\\e",
                                                       "\\u001B", "\\x1B", "^[",      "␛",     "←"};
  for (const std::string_view form : kForms) {
    if (text.starts_with(form)) return form.size();
  }
  return 0;
}

// "[31m", "[38;5;28;01m": the colour sequence without its escape character; 0: not one.
std::size_t bare_colour_length(std::string_view text) {
  if (text.size() < 3 || text[0] != '[') return 0;
  std::size_t at = 1;
  while (at < text.size() && at < 24 && (is_digit(text[at]) || text[at] == ';')) ++at;
  return at > 1 && at < text.size() && text[at] == 'm' ? at + 1 : 0;
}

// "[" parameters, intermediates, final byte (ECMA-48, 5.4).
std::size_t control_length(std::string_view text) {
  if (text.empty() || text[0] != '[') return 0;
  std::size_t at = 1;
  while (at < text.size() && at < 64 && text[at] >= 0x30 && text[at] <= 0x3F) ++at;
  while (at < text.size() && at < 64 && text[at] >= 0x20 && text[at] <= 0x2F) ++at;
  return at < text.size() && text[at] >= 0x40 && text[at] <= 0x7E ? at + 1 : 0;
}

// "]8;;address" up to BEL or ESC \ (hyperlinks and titles; ECMA-48, 8.3.89).
std::size_t string_length(std::string_view text) {
  if (text.empty() || text[0] != ']') return 0;
  const std::size_t limit = text.size() < kLongestLink ? text.size() : kLongestLink;
  for (std::size_t at = 1; at < limit && text[at] != '\n'; ++at) {
    if (text[at] == '\a') return at + 1;
    if (const std::size_t escape = escape_length(text.substr(at)); escape != 0) {
      const std::string_view rest = text.substr(at + escape);
      return at + escape + (rest.starts_with("\\\\") ? 2 : rest.starts_with("\\") ? 1 : 0);
    }
  }
  return 0;
}

std::size_t sequence_length(std::string_view text) {
  const std::size_t escape = escape_length(text);
  if (escape == 0) return bare_colour_length(text);
  const std::string_view rest = text.substr(escape);
  if (const std::size_t control = control_length(rest); control != 0) return escape + control;
  if (const std::size_t string = string_length(rest); string != 0) return escape + string;
  if (text[0] != '\x1b') return 0;
  const bool two_characters = !rest.empty() && rest[0] >= 0x30 && rest[0] <= 0x7E;
  return escape + (two_characters ? 1 : 0);
}

}  // namespace

CleanText without_colours(CleanText text) {
  const std::string_view bytes = text.text();
  // First bytes of everything that a sequence can start with.
  constexpr std::string_view kStarts = "\x1b\\^[\xE2";
  CleanText out;
  std::size_t kept = 0;
  for (std::size_t at = bytes.find_first_of(kStarts); at != std::string_view::npos;
       at = bytes.find_first_of(kStarts, at)) {
    const std::size_t length = sequence_length(bytes.substr(at));
    if (length == 0) {
      ++at;
      continue;
    }
    out.take(text, kept, at);
    at += length;
    kept = at;
  }
  if (kept == 0) return text;
  out.take(text, kept, bytes.size());
  out.take_lines(text);
  return out;
}

}  // namespace whyfail::matchers
