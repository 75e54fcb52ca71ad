// What Python's faulthandler prints when the process dies: the error, then frames with the most recent one first.
#pragma once

#include <cstddef>
#include <vector>

#include "matchers/text_lines.h"
#include "matchers/traceback.h"

namespace whyfail::matchers {

struct FatalError {
  std::vector<Frame> frames;  // turned round: the most recent one last, as in a traceback
  std::size_t end = 0;        // one past the last byte of it in the cleaned text
  std::size_t last_line = 0;  // index of its last line
};

// Line `first` of the text is the error (is_fatal_error_line).
FatalError read_fatal_error(const CleanText& clean, const std::vector<Line>& lines, std::size_t first);

}  // namespace whyfail::matchers
