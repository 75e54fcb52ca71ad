// Code as a paste shows it: lines of a frame, or lines of the paste that belong to no traceback (a fence, a prompt, a
// cell).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fixer/call/python.h"
#include "matchers/reading.h"

namespace whyfail::fixer {

// Lines without prompts (">>> ", "In [1]: "). A traceback's own lines are not code: they are empty here.
struct ShownCode {
  std::vector<std::string> lines;
  std::vector<std::uint64_t> places;  // of each line in the paste
  std::vector<bool> prompted;         // stood behind the prompt of a new statement (">>> ", "In [1]: ")
  std::vector<bool> numbered;         // lines of a frame: the layout gave their numbers, so they follow one another
  std::vector<bool> marked;           // an arrow or a box's mark stood before it ("❱ 3 ", "----> 3 ")
};

ShownCode code_of(const matchers::Frame& frame);
// All of the paste that stands outside its tracebacks.
ShownCode code_outside_tracebacks(const matchers::Reading& reading);

// The logical line that starts at `line`, read by itself with what follows it.
struct ReadLine {
  Script script;
  std::vector<Call> calls;  // on this logical line, outermost first
  std::size_t lines = 1;    // how many lines it takes
  bool whole = false;       // it can be read and does not end in the middle
};
std::optional<ReadLine> read_line(const ShownCode& code, std::size_t line);

// The one that covers `line`, wherever it starts above it.
std::optional<ReadLine> read_line_around(const ShownCode& code, std::size_t line);

// The loading call whose result was assigned to `name` last before `line`; its Script is that of the line.
struct Assigned {
  Script script;
  Call call;
};
std::optional<Assigned> loaded_into(const ShownCode& code, std::string_view name, std::size_t line);

std::string_view stripped(std::string_view text);

}  // namespace whyfail::fixer
