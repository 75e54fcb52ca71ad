// Messages that stand in text outside of tracebacks: a person's words around a quoted message, log lines, the shell's
// "Killed". Only whole messages count, and none that stands in source code or a comment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "matchers/clean_text.h"
#include "matchers/confirmation.h"
#include "matchers/pattern.h"

namespace whyfail::matchers {

struct ProseMatch {
  Confirmed confirmed;
  std::string exception;  // class that stands before the message, if one does
};

enum class ProseSearch {
  everything,    // there is no traceback: any error or warning
  plain_errors,  // beside a traceback: errors that no exception carries (a killed process)
  warnings       // beside a traceback: warnings only
};

// In the order of the text, without overlap. Looks at bytes [begin, end) of the clean text.
std::vector<ProseMatch> find_in_prose(Confirmation& confirmation, const CleanText& clean, std::size_t begin,
                                      std::size_t end, ProseSearch search);

}  // namespace whyfail::matchers
