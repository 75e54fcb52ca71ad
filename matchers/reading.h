// The whole of this stage: a paste goes in, what it says comes out. Which failure is the cause is decided here
// (the last traceback, walked back through its chain); what the failure means is not known here.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "matchers/byte_source.h"
#include "matchers/clean_text.h"
#include "matchers/pattern.h"
#include "matchers/traceback.h"
#include "matchers/work.h"

namespace whyfail::matchers {

// A pattern that was confirmed.
struct Match {
  std::string failure;
  std::int64_t pattern = 0;
  Severity severity = Severity::error;
  std::string exception;  // class as printed, if one stood there
  std::string message;    // the library's own words on one line, blanks folded
  std::map<std::string, std::string> captures;
  Span where;    // in the paste
  int line = 0;  // 1-based line of the paste where the message starts
};

struct Reading {
  std::vector<CleanText> islands;          // what was worth keeping of the paste, in order; small pastes are one island
  std::vector<Chain> chains;               // tracebacks of all islands, in order
  std::optional<std::size_t> cause_chain;  // index into chains: the one that ended the run
  std::optional<std::size_t> cause_exception;  // index into that chain's `raised`: the one that was recognised
  std::vector<Match> failures;       // first = the cause; empty: not known. More only if they too should be shown
  std::vector<Match> notes;          // warnings seen beside an error that is not known
  std::optional<Raised> last_error;  // the exception line that was read, known or not
  Work work;
};

// Never throws for any input; memory is bounded whatever the size of the source.
Reading read_paste(ByteSource& source, const PatternSource& patterns);
// The same for a text in memory.
Reading read_paste(std::string_view paste, const PatternSource& patterns);

}  // namespace whyfail::matchers
