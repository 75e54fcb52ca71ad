// For authors of entries: which patterns were looked at for a paste, and what each of them lacks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "matchers/pattern.h"

namespace whyfail::matchers {

struct Trial {
  std::string failure;
  std::int64_t pattern = 0;
  int line = 0;  // 1-based line of the paste
  bool matches = false;
  std::string
      verdict;  // "matches", "the class KeyError is not among ValueError", "no frame of …", "begins or ends otherwise"
};

// One row a pattern whose literals stand in an exception line (or, without tracebacks, in the text), in the order in
// which they are tried: the last exception first.
std::vector<Trial> try_patterns(std::string_view paste, const PatternSource& patterns);

}  // namespace whyfail::matchers
