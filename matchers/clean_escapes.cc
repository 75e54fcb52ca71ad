// A text shown as the inside of a string: \n, \", \u001b.
#include "matchers/clean_escapes.h"

#include <optional>
#include <string>
#include <string_view>

#include "matchers/clean_encoding.h"
#include "matchers/clean_steps.h"
#include "matchers/text_lines.h"

namespace whyfail::matchers {
namespace {

constexpr std::size_t kManyLineEnds = 6;  // more than a line of source has

struct Escape {
  std::string value;
  std::size_t length = 0;  // with its backslash; 0: not an escape
};

std::optional<unsigned> hexadecimal(std::string_view digits, std::size_t count) {
  if (digits.size() < count) return std::nullopt;
  unsigned value = 0;
  for (const char c : digits.substr(0, count)) {
    unsigned digit = 0;
    if (is_digit(c)) {
      digit = static_cast<unsigned>(c - '0');
    } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
      digit = static_cast<unsigned>((c | 0x20) - 'a') + 10;
    } else {
      return std::nullopt;
    }
    value = value * 16 + digit;
  }
  return value;
}

Escape unicode_escape(std::string_view text) {
  const auto unit = hexadecimal(text.substr(2), 4);
  if (!unit) return {};
  if (*unit >= 0xD800 && *unit < 0xDC00 && text.substr(6).starts_with("\\u")) {
    const auto low = hexadecimal(text.substr(8), 4);
    if (low && *low >= 0xDC00 && *low < 0xE000) {
      return {encoded(0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00)), 12};
    }
  }
  if (*unit >= 0xD800 && *unit < 0xE000) return {"\xEF\xBF\xBD", 6};
  return {encoded(*unit), 6};
}

// \x1b, or the bytes of a longer character: \xe2\x94\x82.
Escape byte_escape(std::string_view text) {
  std::string bytes;
  std::size_t at = 0;
  for (; bytes.size() < 4 && text.substr(at).starts_with("\\x"); at += 4) {
    const auto value = hexadecimal(text.substr(at + 2), 2);
    if (!value) break;
    bytes += static_cast<char>(*value);
    if (*value < 0x80) return bytes.size() == 1 ? Escape{bytes, 4} : Escape{};
    if (bytes.size() > 1 && valid_utf8(bytes) == bytes) return {bytes, at + 4};
  }
  return {};
}

// `text` starts with a backslash.
Escape escape_at(std::string_view text) {
  if (text.size() < 2) return {};
  switch (text[1]) {
    case 'n':
      return {"\n", 2};
    case 'r':
      return text.substr(2).starts_with("\\n") ? Escape{"\n", 4} : Escape{"\n", 2};
    case 't':
      return {"\t", 2};
    case '"':
    case '\'':
    case '\\':
    case '/':
      return {std::string(1, text[1]), 2};
    case 'e':
      return {"\x1b", 2};
    case 'b':
    case 'f':
      return {" ", 2};
    case '0':
      return text.starts_with("\\033") ? Escape{"\x1b", 4} : Escape{};
    case 'u':
      return unicode_escape(text);
    case 'x':
      return byte_escape(text);
    default:
      return {};
  }
}

std::size_t count_of(std::string_view text, std::string_view piece, std::size_t enough) {
  std::size_t count = 0;
  for (std::size_t at = text.find(piece); at != std::string_view::npos && count < enough;
       at = text.find(piece, at + piece.size())) {
    ++count;
  }
  return count;
}

bool is_inside_of_string(std::string_view line) {
  const std::size_t line_ends = count_of(line, "\\n", kManyLineEnds);
  if (line_ends < 2) return false;
  if (line_ends == kManyLineEnds) return true;
  return contains(line, "(most recent call") || contains(line, "File \\\"") || contains(line, "\\n  File ") ||
         contains(line, "\\u001b[") || contains(line, "\\x1b[") || contains(line, "\\033[");
}

}  // namespace

std::string encoded(unsigned point) {
  std::string piece;
  const auto put = [&piece](unsigned value) { piece += static_cast<char>(value); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | (point >> 6));
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | (point >> 12));
    put(0x80 | ((point >> 6) & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | (point >> 18));
    put(0x80 | ((point >> 12) & 0x3F));
    put(0x80 | ((point >> 6) & 0x3F));
    put(0x80 | (point & 0x3F));
  }
  return piece;
}

void append_unescaped(CleanText& out, const CleanText& text, std::size_t begin, std::size_t end) {
  const std::string_view bytes = std::string_view(text.text()).substr(0, end);
  std::size_t kept = begin;
  for (std::size_t at = bytes.find('\\', begin); at != std::string_view::npos; at = bytes.find('\\', at)) {
    const Escape escape = escape_at(bytes.substr(at));
    if (escape.length == 0) {
      ++at;
      continue;
    }
    out.take(text, kept, at);
    out.replace(escape.value, text, at, at + escape.length);
    at += escape.length;
    kept = at;
  }
  out.take(text, kept, end);
}

CleanText without_typed_escapes(CleanText text) {
  if (!contains(text.text(), "\\n")) return text;
  CleanText out;
  out.take_lines(text);
  std::size_t kept = 0;
  for (const Line& line : lines_of(text.text())) {
    if (!is_inside_of_string(line.text)) continue;
    out.take(text, kept, line.begin);
    append_unescaped(out, text, line.begin, line.end);
    kept = line.end;
  }
  if (kept == 0) return text;
  out.take(text, kept, text.text().size());
  return out;
}

}  // namespace whyfail::matchers
