// Lines of a text and the small questions asked of them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace whyfail::matchers {

// A line without its line end; `begin` and `end` are its bytes in the text.
struct Line {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view text;
};

std::vector<Line> lines_of(std::string_view text);

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_identifier(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

std::string_view trim_left(std::string_view text);
std::string_view trim_right(std::string_view text);
std::string_view trim(std::string_view text);
std::size_t indentation(std::string_view line);  // leading blanks and tabs, in bytes
// Code points, counted by their first bytes: what a terminal's columns are for all but wide characters.
std::size_t length_in_characters(std::string_view text);
// The number that `text` starts with (at most nine digits); -1: it starts with none. `used`: its length.
int leading_number(std::string_view text, std::size_t& used);
bool contains(std::string_view text, std::string_view piece);

}  // namespace whyfail::matchers
