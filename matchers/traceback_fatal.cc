// What Python's faulthandler prints when the process dies.
#include "matchers/traceback_fatal.h"

#include <algorithm>
#include <string>

#include "matchers/traceback_lines.h"

namespace whyfail::matchers {

FatalError read_fatal_error(const CleanText& clean, const std::vector<Line>& lines, std::size_t first) {
  FatalError fatal;
  fatal.end = lines[first].end;
  fatal.last_line = first;
  for (std::size_t next = first + 1; next < lines.size(); ++next) {
    const Line& line = lines[next];
    const bool thread = contains(line.text, "(most recent call first)");
    const auto frame = frame_line(line.text);
    const bool other_thread = thread && !fatal.frames.empty();
    if (other_thread || (!frame && !thread && !trim(line.text).empty())) break;
    fatal.last_line = next;
    if (!frame) continue;
    fatal.frames.push_back(
        {std::string(frame->file), frame->line, std::string(frame->function), {}, clean.origin(line.begin, line.end)});
    fatal.end = line.end;
  }
  std::reverse(fatal.frames.begin(), fatal.frames.end());
  return fatal;
}

}  // namespace whyfail::matchers
