// What the tests of cleaning and of tracebacks share: reads a paste and writes its chains down in a few lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "matchers/clean.h"
#include "matchers/islands.h"
#include "matchers/traceback.h"

namespace whyfail::matchers {

struct ReadPaste {
  std::vector<CleanText> texts;
  std::vector<Chain> chains;
};

inline ReadPaste read_all(std::string_view paste) {
  ReadPaste read;
  TextSource source(paste);
  for (const Island& island : find_islands(source)) {
    read.texts.push_back(clean(island));
    for (Chain& chain : read_tracebacks(read.texts.back())) read.chains.push_back(std::move(chain));
  }
  return read;
}

inline std::string cleaned(std::string_view paste) {
  std::string text;
  for (const CleanText& part : read_all(paste).texts) text += part.text();
  return text;
}

// One line an exception: "ValueError: no [run.py:3 <module>; lib.py:9 load] ->during", chains apart by "--".
inline std::string chains_of(std::string_view paste) {
  std::string shown;
  for (const Chain& chain : read_all(paste).chains) {
    if (!shown.empty()) shown += "--\n";
    for (const Raised& raised : chain.raised) {
      shown += raised.type + ": ";
      for (const char c : raised.message) shown += c == '\n' ? '/' : c;
      shown += " [";
      for (const Frame& frame : raised.frames) {
        if (&frame != &raised.frames.front()) shown += "; ";
        shown += frame.file + ":" + std::to_string(frame.line) + " " + frame.function;
      }
      shown += "]";
      if (raised.link == Link::during_handling) shown += " ->during";
      if (raised.link == Link::direct_cause) shown += " ->cause";
      shown += "\n";
    }
  }
  return shown;
}

// Every place that the chains name holds, in the paste, what they say: the class and the start of the message, and the
// file name of each frame. For pastes whose text was not escaped or folded in those places.
inline std::string places_that_lie(std::string_view paste) {
  std::string wrong;
  const auto at = [&](const Span& span) {
    return span.end > paste.size() || span.begin > span.end
               ? std::string_view{}
               : paste.substr(static_cast<std::size_t>(span.begin), static_cast<std::size_t>(span.end - span.begin));
  };
  for (const Chain& chain : read_all(paste).chains) {
    for (const Raised& raised : chain.raised) {
      if (!raised.type.empty() &&
          !paste.substr(static_cast<std::size_t>(raised.message_begin)).starts_with(raised.type)) {
        wrong += "message of " + raised.type + "\n";
      }
      if (at(raised.where).find(raised.type) == std::string_view::npos) wrong += "block of " + raised.type + "\n";
      for (const Frame& frame : raised.frames) {
        const std::string name = frame.file.substr(frame.file.find_last_of("/\\") + 1);
        if (at(frame.where).find(name) == std::string_view::npos) wrong += "frame " + frame.file + "\n";
        for (const SourceLine& line : frame.source) {
          const std::string word = line.text.substr(line.text.find_last_of(' ') + 1);
          if (at(line.where).find(word) == std::string_view::npos) wrong += "source " + line.text + "\n";
        }
      }
    }
  }
  return wrong;
}

}  // namespace whyfail::matchers
