// Patterns in the database: written by the build, read when an anchor was seen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kb/database.h"
#include "matchers/pattern.h"

namespace whyfail::kb {

// What a row holds beside the pattern.
struct WordingRow {
  matchers::Pattern pattern;
  std::string wording;   // as written in the entry
  std::string package;   // "transformers"; empty: not known
  std::string releases;  // ranges "4.25.0..4.57.6", one a line
  int first_line = 0;
};

void insert_pattern(const Database& database, const WordingRow& row);

// Looks patterns up by a hash of their anchors or openings; the query is prepared once.
class PatternsByAnchor {
 public:
  explicit PatternsByAnchor(const Database& database);
  std::vector<matchers::Pattern> of(std::uint64_t anchor_hash);

 private:
  Statement query_;
};

std::vector<WordingRow> wordings_of(const Database& database, const std::string& failure);

std::string joined(const std::vector<std::string>& lines);
std::vector<std::string> split_lines(std::string_view text);

}  // namespace whyfail::kb
