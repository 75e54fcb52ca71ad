// Quoting ("> ") and blocks set in by blanks.
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "matchers/clean_steps.h"
#include "matchers/text_lines.h"

namespace whyfail::matchers {
namespace {

// "> " once for each level of quoting; bytes of `depth` levels at the start of `line`, nullopt: there are fewer.
std::optional<std::size_t> quote_length(std::string_view line, std::size_t depth) {
  std::size_t at = 0;
  for (std::size_t level = 0; level < depth; ++level) {
    if (at >= line.size() || line[at] != '>') return std::nullopt;
    ++at;
    if (at < line.size() && line[at] == ' ') ++at;
  }
  return at;
}

std::size_t quote_depth(std::string_view line) {
  std::size_t depth = 0;
  while (depth < 6 && quote_length(line, depth + 1)) ++depth;
  return depth;
}

}  // namespace

// Quoted lines stand together: a single line with ">" is pytest's current one or loguru's frame. The least depth of a
// stretch counts, since quoted text may have such lines.
CleanText without_quotes(CleanText text) {
  const std::vector<Line> lines = lines_of(text.text());
  CleanText out;
  out.take_lines(text);
  bool any = false;
  for (std::size_t begin = 0; begin < lines.size();) {
    std::size_t end = begin, depth = std::string_view::npos;
    for (; end < lines.size() && lines[end].text.starts_with(">") && !lines[end].text.starts_with(">>>"); ++end) {
      depth = std::min(depth, quote_depth(lines[end].text));
    }
    const bool quoted = end - begin >= 2 || (end - begin == 1 && lines.size() == 1);
    if (end == begin) end = begin + 1;
    for (; begin < end; ++begin) {
      const std::size_t skip = quoted ? quote_length(lines[begin].text, depth).value_or(0) : 0;
      any = any || skip != 0;
      out.take(text, lines[begin].begin + skip, lines[begin].end + 1);
    }
  }
  return any ? out : text;
}

// Blanks that every line begins with: a block set in.
CleanText without_common_indentation(CleanText text) {
  const std::vector<Line> lines = lines_of(text.text());
  std::size_t common = std::string_view::npos, filled = 0;
  for (const Line& line : lines) {
    if (trim(line.text).empty()) continue;
    ++filled;
    common = std::min(common, indentation(line.text));
  }
  if (filled < 3 || common == 0) return text;
  CleanText out;
  out.take_lines(text);
  for (const Line& line : lines) {
    out.take(text, line.begin + std::min(common, indentation(line.text)), line.end + 1);
  }
  return out;
}

}  // namespace whyfail::matchers
