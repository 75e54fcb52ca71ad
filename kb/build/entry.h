// One file of data/failures, read and checked for its form.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kb/build/building.h"
#include "kb/knowledge_base.h"
#include "matchers/wording.h"

namespace whyfail::kb {

struct LinedText {
  std::string text;
  int line = 0;  // where it stands in the file
};

struct WordingEntry {
  matchers::Wording wording;
  std::string written;  // text or pattern as it stands in the file
  std::string package;
  std::string releases;  // one range a line
  std::vector<LinedText> samples;
  std::vector<LinedText> near;
  int line = 0;
};

struct FailureEntry {
  Failure failure;
  std::vector<std::string> aliases;
  std::vector<WordingEntry> wordings;
  std::string file;  // below the data folder
};

// Complains about everything that is wrong with the file; what could be read is returned.
FailureEntry read_entry(Building& building, const std::string& file);

}  // namespace whyfail::kb
