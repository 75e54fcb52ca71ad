// Lines of a text and the small questions asked of them.
#include "matchers/text_lines.h"

namespace whyfail::matchers {

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    lines.push_back({begin, end, text.substr(begin, end - begin)});
    begin = end + 1;
  }
  return lines;
}

std::string_view trim_left(std::string_view text) {
  std::size_t skip = 0;
  while (skip < text.size() && is_blank(text[skip])) ++skip;
  return text.substr(skip);
}

std::string_view trim_right(std::string_view text) {
  while (!text.empty() && (is_blank(text.back()) || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::string_view trim(std::string_view text) { return trim_left(trim_right(text)); }

std::size_t indentation(std::string_view line) { return line.size() - trim_left(line).size(); }

std::size_t length_in_characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1U : 0U;
  return count;
}

int leading_number(std::string_view text, std::size_t& used) {
  used = 0;
  int number = 0;
  while (used < text.size() && used < 9 && is_digit(text[used])) number = number * 10 + (text[used++] - '0');
  return used == 0 ? -1 : number;
}

bool contains(std::string_view text, std::string_view piece) { return text.find(piece) != std::string_view::npos; }

}  // namespace whyfail::matchers
