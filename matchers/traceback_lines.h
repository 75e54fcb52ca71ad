// What a single line of cleaned text is in a traceback, whatever program printed it: Python, IPython, Rich, pytest.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "matchers/traceback.h"

namespace whyfail::matchers {

enum class Layout { python, ipython, rich, pytest };

// The line that names a frame. Views point into the line.
struct FrameLine {
  Layout layout = Layout::python;
  std::string_view file;
  int line = 0;
  std::string_view function;
  std::string_view type;  // pytest: "path.py:12: ValueError"
  bool source_stands_before = false;
};
std::optional<FrameLine> frame_line(std::string_view line);

// "Traceback (most recent call last)" in any of its dresses; `type` is set where the head announces it (IPython).
struct HeadLine {
  std::string_view type;
  std::string_view before;  // what stands before the head on its line
  bool group = false;
};
std::optional<HeadLine> head_line(std::string_view line);

Link connective(std::string_view line);

// "Type: message" or "Type".
struct ExceptionLine {
  std::string_view type;
  std::string_view message;
  bool certain = false;  // the name says by itself that it is an exception
};
std::optional<ExceptionLine> exception_line(std::string_view line);

// A numbered line of source: "-> 4528     code", "   12 code", "❱ 12 │   code" (Rich draws │ where indentation is).
struct NumberedLine {
  int number = 0;
  bool arrow = false;
  std::string_view code;
};
std::optional<NumberedLine> numbered_line(std::string_view line, Layout layout);

// Source as Rich shows it, "│   │   code", with blanks where it draws guides.
std::string without_guides(std::string_view code);

bool is_keyword(std::string_view word);           // of Python, that a line may begin with
bool is_caret_line(std::string_view line);        // only ^, ~ and blanks
bool is_value_line(std::string_view line);        // loguru's "│    └ value"
bool is_rule(std::string_view line);              // only -, =, _, ─ and the like, five or more
bool ends_message(std::string_view line);         // a line that can't belong to the message above it
bool is_fatal_error_line(std::string_view line);  // faulthandler's first line

}  // namespace whyfail::matchers
