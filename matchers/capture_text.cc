// Trims and folds captures by their kind.
#include "matchers/capture_text.h"

#include <array>

#include "matchers/squeezed.h"

namespace whyfail::matchers {
namespace {

bool is_blank(char sign) { return sign == ' ' || sign == '\t' || sign == '\n' || sign == '\r'; }

constexpr std::string_view no_break_blank = "\xc2\xa0";

bool is_no_break_blank(std::string_view text, std::size_t position) {
  return text.substr(position, no_break_blank.size()) == no_break_blank;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Length of the quote that `text` begins (or ends) with; 0: none. Quotes are what the squeezed form drops and is no
// white space.
std::size_t leading_quote(std::string_view text) {
  if (text.empty() || is_blank(text.front()) || is_no_break_blank(text, 0)) return 0;
  const SqueezedSign sign = squeeze_sign(text, 0);
  return sign.becomes.empty() ? sign.length : 0;
}

std::size_t trailing_quote(std::string_view text) {
  for (std::size_t length = 1; length <= 3 && length <= text.size(); ++length) {
    const std::string_view last = text.substr(text.size() - length);
    if ((static_cast<unsigned char>(last.front()) & 0xc0U) == 0x80) continue;
    return leading_quote(last) == length ? length : 0;
  }
  return 0;
}

std::string_view without_quotes(std::string_view text) {
  text = trimmed(text);
  // Escaped quotes (\"auto\") are two signs, so more than one may go.
  for (int round = 0; round < 2; ++round) {
    text.remove_prefix(leading_quote(text));
    text.remove_suffix(trailing_quote(text));
  }
  return trimmed(text);
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  bool blank = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_blank(text[i]) || is_no_break_blank(text, i)) {
      if (!is_blank(text[i])) ++i;
      blank = !line.empty();
      continue;
    }
    if (blank) line.push_back(' ');
    blank = false;
    line.push_back(text[i]);
  }
  return line;
}

std::optional<std::string> capture_text(std::string_view written, CaptureKind kind) {
  const std::string_view inner = without_quotes(written);
  if (kind != CaptureKind::word && kind != CaptureKind::number) return one_line(inner);
  std::string word;
  for (std::size_t i = 0; i < inner.size();) {
    if (!is_blank(inner[i])) {
      word.push_back(inner[i++]);
      continue;
    }
    bool broken = false;
    for (; i < inner.size() && is_blank(inner[i]); ++i) broken = broken || inner[i] == '\n';
    if (!broken) return std::nullopt;
  }
  return word;
}

}  // namespace whyfail::matchers
