// The value of a string literal (docs.python.org/3/reference/lexical_analysis.html#escape-sequences).
#include <cstdint>

#include "fixer/call/values.h"

namespace whyfail::fixer {
namespace {

int digit_of(char byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
  if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
  return 99;
}

void append_utf8(std::uint32_t code, std::string& to) {
  const auto byte = [&](std::uint32_t bits) { to += static_cast<char>(static_cast<unsigned char>(bits)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

// Reads up to `most` digits of `base` at `at` and moves past them.
bool read_code(std::string_view body, std::size_t& at, std::size_t least, std::size_t most, int base,
               std::uint32_t& code) {
  std::size_t count = 0;
  code = 0;
  for (; count < most && at < body.size() && digit_of(body[at]) < base; ++count, ++at) {
    code = code * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit_of(body[at]));
  }
  return count >= least && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

// body[at] is what follows a backslash; moves past the escape. False: one that needs the Unicode names.
bool decode_escape(std::string_view body, std::size_t& at, std::string& decoded) {
  constexpr std::string_view letters = "abfnrtv\\'\"";
  constexpr std::string_view meanings = "\a\b\f\n\r\t\v\\'\"";
  const char letter = body[at];
  std::uint32_t code = 0;
  if (const std::size_t place = letters.find(letter); place != std::string_view::npos) {
    decoded += meanings[place];
    ++at;
    return true;
  }
  if (letter == '\n' || letter == '\r') {
    at += letter == '\r' && at + 1 < body.size() && body[at + 1] == '\n' ? 2U : 1U;
    return true;
  }
  if (letter == 'N') return false;
  if (letter >= '0' && letter <= '7') {
    if (!read_code(body, at, 1, 3, 8, code)) return false;
  } else if (letter == 'x' || letter == 'u' || letter == 'U') {
    const std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
    if (!read_code(body, ++at, digits, digits, 16, code)) return false;
  } else {
    decoded += '\\';  // an unknown escape stays as it is
    return true;
  }
  append_utf8(code, decoded);
  return true;
}

}  // namespace

bool decode_text(std::string_view body, bool raw, std::string& decoded) {
  for (std::size_t at = 0; at < body.size();) {
    const char byte = body[at];
    if (byte == '\\' && !raw && at + 1 < body.size()) {
      if (!decode_escape(body, ++at, decoded)) return false;
    } else if (byte == '\r') {  // Python reads every line end as \n
      decoded += '\n';
      at += at + 1 < body.size() && body[at + 1] == '\n' ? 2U : 1U;
    } else {
      decoded += byte;
      ++at;
    }
  }
  return true;
}

bool decode_string(std::string_view token, std::string& decoded) {
  const std::size_t quote = token.find_first_of("'\"");
  if (quote == std::string_view::npos) return false;
  const std::string_view prefix = token.substr(0, quote);
  if (prefix.find_first_of("bB") != std::string_view::npos) return false;
  const bool raw = prefix.find_first_of("rR") != std::string_view::npos;
  std::string_view body = token.substr(quote);
  const bool triple = body.size() >= 6 && body[1] == body[0] && body[2] == body[0];
  const std::size_t marks = triple ? 3 : 1;
  if (body.size() < 2 * marks) return false;
  return decode_text(body.substr(marks, body.size() - 2 * marks), raw, decoded);
}

}  // namespace whyfail::fixer
