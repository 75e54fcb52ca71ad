// The coded form in which data/releases/frames.txt and the image say where the lines of a function stand.
//
// The lines of one function are one text of base-64 digits (A–Z a–z 0–9 + /). A line is: 4 digits of source_hash, the
// number of its runs, and its runs. A run is: releases skipped since the last run, releases it covers less one, and how
// far below the line before it (of this text, in the same release) it stands, zigzag. Numbers are 5 bits a digit, least
// first; digits from 32 on say that another follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace whyfail::kb {

// Releases [first, last] (positions in the package's list of releases) have the line; where: FrameRowReader::line.
struct FrameRun {
  std::size_t first = 0;
  std::size_t last = 0;
};

struct FrameRow {
  std::uint32_t hash = 0;
  std::vector<FrameRun> runs;
};

class FrameRowReader {
 public:
  FrameRowReader(std::string_view coded, std::size_t releases) : coded_(coded), lines_(releases, 0) {}

  bool next(FrameRow& row);  // false: the end, or damaged
  bool damaged() const { return damaged_; }
  // In which line of the file the row that was read stands in a release that has it.
  std::int64_t line(std::size_t release) const { return lines_[release]; }

 private:
  bool read_number(std::uint64_t& number);
  bool read_run(std::size_t& release, FrameRow& row);

  std::string_view coded_;
  std::size_t at_ = 0;
  std::vector<std::int64_t> lines_;  // by release: of the row that was read last
  bool damaged_ = false;
};

}  // namespace whyfail::kb
