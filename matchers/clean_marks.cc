// pytest's "E   " before what an assertion or an exception says: taken off, with the blanks that the first line has.
#include <algorithm>
#include <string_view>

#include "matchers/clean_steps.h"
#include "matchers/text_lines.h"

namespace whyfail::matchers {
namespace {

bool is_marked(std::string_view line) { return line == "E" || line.starts_with("E   ") || line.starts_with("E\t"); }

std::size_t blanks_after_mark(std::string_view line) { return indentation(line.substr(1)); }

}  // namespace

CleanText without_assertion_marks(CleanText text) {
  const std::vector<Line> lines = lines_of(text.text());
  if (std::none_of(lines.begin(), lines.end(), [](const Line& line) { return is_marked(line.text); })) return text;
  CleanText out;
  out.take_lines(text);
  for (std::size_t index = 0; index < lines.size();) {
    if (!is_marked(lines[index].text)) {
      out.take(text, lines[index].begin, lines[index].end + 1);
      ++index;
      continue;
    }
    std::size_t end = index, blanks = std::string_view::npos;
    for (; end < lines.size() && is_marked(lines[end].text); ++end) {
      if (!trim(lines[end].text.substr(1)).empty()) blanks = std::min(blanks, blanks_after_mark(lines[end].text));
    }
    for (; index < end; ++index) {
      const Line& line = lines[index];
      const std::size_t skip = std::min(blanks, blanks_after_mark(line.text));
      out.take(text, line.begin + 1 + skip, line.end + 1);
    }
  }
  return out;
}

}  // namespace whyfail::matchers
