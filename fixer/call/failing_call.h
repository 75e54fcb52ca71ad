// Finds the call that has to change: the loading call that made the object which failed, if it can be seen, else the
// failing call in the last frame of the user's own code; all of it from the source file when that is at hand.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fixer/call/python.h"
#include "matchers/reading.h"

namespace whyfail::fixer {

struct FoundCall {
  std::string text;                      // the expression alone, as written (dedented as a whole)
  std::string file;                      // as the frame names it; empty: read from the paste's text
  int line = 0;                          // 1-based in that file (or in the paste); 0: not known
  bool complete = false;                 // no part of it is missing
  std::vector<std::string> definitions;  // assignments that the paste shows of names in `text` (definitions.h)
  std::string chained;                   // calls on its result right behind it in the same expression: ".to('cuda')"
  std::string failing;                   // the expression that failed where it is another one: "model.to('cuda')"
  // Set when the call was found in a file that could be read: its text and the call in it.
  std::optional<Script> script;
  std::optional<Call> call;
};

// Reads a source file by the name that a frame gives; nullopt: not here. The caller decides what may be opened.
using ReadSource = std::function<std::optional<std::string>(const std::string& file)>;

struct NoCall {
  std::string why;
};

std::variant<FoundCall, NoCall> find_failing_call(const matchers::Reading& reading, const ReadSource& read_source);

}  // namespace whyfail::fixer
