// Windows PowerShell 5.1 makes a record of the first line that a program writes to standard error: "python : line",
// then where the command stands in any language, the command, CategoryInfo and FullyQualifiedErrorId. Only the line is
// the program's.
#include <string_view>

#include "matchers/clean_steps.h"
#include "matchers/text_lines.h"

namespace whyfail::matchers {
namespace {

constexpr std::size_t kFarthest = 40;  // lines between "python : " and the end of the record

struct Record {
  std::size_t first = 0;     // the line with "python : "
  std::size_t skip = 0;      // bytes of it before the program's own text
  std::size_t position = 0;  // the line that says where, in the user's language
  std::size_t last = 0;      // the last line of the record
};

// "python : text", "C:\…\python.exe : text"
std::size_t name_length(std::string_view line) {
  const std::size_t colon = line.substr(0, 200).find(" : ");
  if (colon == std::string_view::npos || colon == 0 || is_blank(line.front())) return 0;
  if (line.starts_with("+")) return 0;
  return colon + 3;
}

// Finds the record that a line with CategoryInfo belongs to.
bool find_record(const std::vector<Line>& lines, std::size_t category, std::size_t earliest, Record& record) {
  record.position = category;
  for (std::size_t up = category; up > earliest && category - up < kFarthest; --up) {
    const std::string_view above = lines[up - 1].text;
    if (trim_left(above).starts_with("+")) {
      record.position = up - 1;  // "+ command", "+ ~~~~"
      continue;
    }
    record.skip = name_length(above);
    if (record.skip == 0) continue;
    record.first = up - 1;
    if (record.position > record.first + 1) --record.position;  // the line that says where
    record.last = category;
    for (std::size_t down = category + 1; down < lines.size() && down < category + 6; ++down) {
      if (!contains(lines[down].text, "FullyQualifiedErrorId")) continue;
      record.last = down;
      if (down + 1 < lines.size() && trim(lines[down + 1].text).empty()) record.last = down + 1;
      break;
    }
    return true;
  }
  return false;
}

}  // namespace

CleanText without_powershell_frames(CleanText text) {
  if (!contains(text.text(), "+ CategoryInfo")) return text;
  const std::vector<Line> lines = lines_of(text.text());
  CleanText out;
  out.take_lines(text);
  std::size_t kept = 0;
  for (std::size_t index = 0; index < lines.size(); ++index) {
    if (!trim_left(lines[index].text).starts_with("+ CategoryInfo")) continue;
    Record record;
    if (!find_record(lines, index, kept, record)) continue;
    for (; kept < record.first; ++kept) out.take(text, lines[kept].begin, lines[kept].end + 1);
    out.take(text, lines[kept].begin + record.skip, lines[kept].end + 1);
    for (++kept; kept < record.position; ++kept) out.take(text, lines[kept].begin, lines[kept].end + 1);
    kept = record.last + 1;
    index = record.last;
  }
  if (kept < lines.size()) out.take(text, lines[kept].begin, text.text().size());
  return out;
}

}  // namespace whyfail::matchers
