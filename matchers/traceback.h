// Tracebacks read out of cleaned text, whatever program printed them (Python itself, IPython, Rich, pytest, loguru …).
#pragma once

#include <string>
#include <vector>

#include "matchers/clean_text.h"
#include "matchers/span.h"

namespace whyfail::matchers {

// A line of source as a frame shows it.
struct SourceLine {
  int number = 0;        // 0: the layout gives no number for this line
  std::string text;      // as shown, with its indentation, without arrow, box, number or caret line
  bool current = false;  // the line that the frame stands on (arrow, marked, or the only one)
  Span where;
};

struct Frame {
  std::string file;      // as printed: a path, "<stdin>", "<ipython-input-3-…>", "Cell In[2]", "Input In [4]"
  int line = 0;          // 0: not shown (or damaged)
  std::string function;  // "<module>", "from_pretrained"; empty if not shown
  std::vector<SourceLine> source;  // in the order shown; Python 3.13 and IPython show several
  Span where;
};

// How this exception came to the next one in the chain.
enum class Link { none, during_handling, direct_cause };

// One exception: its frames (may be none: only the last line was pasted) and its final line.
struct Raised {
  std::string type;     // as printed, dotted or not: "ValueError", "torch.cuda.OutOfMemoryError"; empty: cut off
  std::string message;  // everything after "Type: ", lines joined by \n as shown
  std::vector<Frame> frames;
  Link link = Link::none;           // to the exception that follows in the chain
  std::size_t clean_begin = 0;      // where "Type: message" stands in the cleaned text …
  std::size_t clean_end = 0;        // … one past its last byte
  Span where;                       // the whole block, frames included, in the paste
  std::uint64_t message_begin = 0;  // where the message (its type) starts in the paste
  int line = 0;                     // 1-based line of the paste where it starts
};

// Exceptions joined by "During handling…" and "direct cause", oldest first, as printed. Members of an exception group
// follow their group.
struct Chain {
  std::vector<Raised> raised;
};

// All chains in the order of the text. Cut heads (frames without "Traceback …") and cut ends are read as far as they
// go.
std::vector<Chain> read_tracebacks(const CleanText& clean);

}  // namespace whyfail::matchers
