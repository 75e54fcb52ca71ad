// Splits Python text into tokens: the whole file, any bytes, in linear time and without recursion. The grammar is that
// of Python 3.14 (docs.python.org/3/reference/lexical_analysis.html): strings of every prefix, f-strings and t-strings
// with nested fields, names in any script, bytes, numbers, operators, comments, continuation lines, all line ends.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace whyfail::fixer {

enum class TokenKind : unsigned char {
  name,
  number,
  string,         // without fields, whole with prefix and quotes
  fstring_begin,  // f" …
  fstring_text,   // literal text, a conversion ("!r") or a format specification of an f-string
  fstring_end,    // … "
  op,             // operators, brackets; also the braces of f-string fields
  newline,        // ends a logical line
  comment,
  error,  // bytes that are no Python: an unterminated string, a shell or magic line, a stray sign
};

inline constexpr std::size_t no_token = static_cast<std::size_t>(-1);

struct Token {
  TokenKind kind = TokenKind::error;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t partner = no_token;  // brackets and f-string ends: index of the other one; no_token: there is none
  std::size_t depth = 0;           // how many brackets and f-strings are open around it
};

struct Tokens {
  std::vector<Token> all;
  bool mismatched = false;  // some bracket or f-string has no partner
};

Tokens read_tokens(std::string_view text);

// Reserved words (not the soft ones: match, case, type, _).
bool is_keyword(std::string_view name);
// True for bytes that can stand inside a name (all of a multi-byte character counts).
bool is_name_byte(char byte);

}  // namespace whyfail::fixer
