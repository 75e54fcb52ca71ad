// Marks that are a prefix by themselves, wherever they stand: ranks of torchrun, timestamps of container logs.
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "matchers/clean_steps.h"
#include "matchers/text_lines.h"

namespace whyfail::matchers {
namespace {

// "[rank0]: ", "[default1]:[rank1]: "
std::size_t rank_length(std::string_view line) {
  constexpr std::array<std::string_view, 2> kNames = {"[rank", "[default"};
  std::size_t at = 0;
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view name : kNames) {
      if (!line.substr(at).starts_with(name)) continue;
      std::size_t used = 0;
      if (leading_number(line.substr(at + name.size()), used) < 0) continue;
      const std::string_view rest = line.substr(at + name.size() + used);
      if (!rest.starts_with("]:")) continue;
      at += name.size() + used + 2 + (rest.starts_with("]: ") ? 1U : 0U);
      found = true;
    }
  }
  return at;
}

// 2025-03-14T10:21:00.137Z and a blank, as container and build services put before each line.
std::size_t timestamp_length(std::string_view line) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (line.size() < kForm.size() + 1) return 0;
  for (std::size_t at = 0; at < kForm.size(); ++at) {
    const bool fits = kForm[at] == '0' ? is_digit(line[at]) : line[at] == kForm[at];
    if (!fits) return 0;
  }
  std::size_t at = kForm.size();
  if (at < line.size() && line[at] == '.') ++at;
  while (at < line.size() && is_digit(line[at])) ++at;
  if (at >= line.size() || line[at] != 'Z') return 0;
  ++at;
  for (const std::string_view stream : {" stdout F", " stderr F", " stdout P", " stderr P"}) {
    if (line.substr(at).starts_with(stream)) at += stream.size();
  }
  if (at == line.size()) return at;
  return line[at] == ' ' ? at + 1 : 0;
}

// `wherever`: also where only a few lines have the mark.
using MarkLength = std::size_t (*)(std::string_view);
CleanText without_mark(CleanText text, MarkLength mark, bool wherever) {
  const std::vector<Line> lines = lines_of(text.text());
  std::size_t filled = 0, marked = 0;
  for (const Line& line : lines) {
    if (trim(line.text).empty()) continue;
    ++filled;
    if (mark(line.text) != 0) ++marked;
  }
  if (marked == 0 || (!wherever && marked * 2 < filled)) return text;
  CleanText out;
  out.take_lines(text);
  for (const Line& line : lines) out.take(text, line.begin + mark(line.text), line.end + 1);
  return out;
}

}  // namespace

CleanText without_rank_marks(CleanText text) { return without_mark(std::move(text), rank_length, true); }

CleanText without_container_times(CleanText text) { return without_mark(std::move(text), timestamp_length, false); }

}  // namespace whyfail::matchers
