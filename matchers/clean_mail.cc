// Quoted-printable (RFC 2045, 6.7): =3D for "=", a line that ends in "=" goes on in the next one.
#include <optional>
#include <string>
#include <string_view>

#include "matchers/clean_encoding.h"
#include "matchers/clean_steps.h"
#include "matchers/text_lines.h"

namespace whyfail::matchers {
namespace {

int hexadecimal_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// The byte that "=XX" at `at` stands for.
std::optional<char> quoted_byte(std::string_view text, std::size_t at) {
  if (at + 2 >= text.size() || text[at] != '=') return std::nullopt;
  const int high = hexadecimal_digit(text[at + 1]), low = hexadecimal_digit(text[at + 2]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

std::size_t soft_break_length(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && is_blank(text[end])) ++end;
  return end < text.size() && text[end] == '\n' ? end + 1 - at : 0;
}

bool announced(std::string_view text) {
  for (std::size_t at = text.find("uoted-"); at != std::string_view::npos; at = text.find("uoted-", at + 1)) {
    const std::string_view rest = text.substr(at + 6);
    if (rest.starts_with("printable") || rest.starts_with("Printable")) return true;
  }
  return false;
}

// Without its header: several soft breaks and an escaped equals sign, which code is full of.
bool looks_quoted(std::string_view text) {
  int breaks = 0;
  for (std::size_t at = text.find("=\n"); at != std::string_view::npos && breaks < 3; at = text.find("=\n", at + 1)) {
    ++breaks;
  }
  return breaks >= 3 && (contains(text, "=3D") || contains(text, "=20\n"));
}

}  // namespace

CleanText without_mail_encoding(CleanText text) {
  const std::string_view bytes = text.text();
  if (!announced(bytes) && !looks_quoted(bytes)) return text;
  CleanText out;
  out.take_lines(text);
  std::size_t kept = 0;
  for (std::size_t at = bytes.find('='); at != std::string_view::npos; at = bytes.find('=', at)) {
    const std::size_t soft = soft_break_length(bytes, at);
    std::size_t end = at + soft;
    std::string value;
    while (soft == 0) {
      const auto byte = quoted_byte(bytes, end);
      if (!byte) break;
      value += *byte;
      end += 3;
    }
    if (end == at) {
      ++at;
      continue;
    }
    out.take(text, kept, at);
    out.replace(valid_utf8(value), text, at, end);
    kept = at = end;
  }
  out.take(text, kept, bytes.size());
  return out;
}

}  // namespace whyfail::matchers
