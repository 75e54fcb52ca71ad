// Text made to be slow or large. What is held to a bound is counted work and kept bytes, not the clock: a step that is
// not linear shows as a test that does not end.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "matchers/islands.h"
#include "matchers/reading.h"
#include "tests/matchers/hostile_text.h"
#include "tests/matchers/written_patterns.h"

namespace whyfail::matchers {
namespace {

// Instrumented or not optimized, the same is asked of less text: the test takes seconds everywhere.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kLine = 100'000'000;
constexpr std::uint64_t kLinks = 1'000'000;
#else
constexpr std::uint64_t kLine = 10'000'000;
constexpr std::uint64_t kLinks = 50'000;
#endif
constexpr std::uint64_t kMany = 4'000'000;
constexpr std::size_t kPiece = 60'000;

const WrittenPatterns& patterns() {
  static const WrittenPatterns written({
      {"folder", text_wording("Please provide an `offload_folder` for {modules} of this model.")},
      {"memory", text_wording("…CUDA out of memory. Tried to allocate {size}", {"OutOfMemoryError"})},
      {"killed", text_wording("Killed", {})},
      {"device", text_wording("{name} is not recognized, available devices are {devices}")},
  });
  return written;
}

// How a kind of text grows: behind `head`, `unit` again and again.
struct Kind {
  const char* name;
  std::string head;
  std::string unit;
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

std::string of(const Kind& kind, std::size_t bytes) { return kind.head + repeated(kind.unit, bytes); }

const std::string& framed() {
  static const std::string text = std::string(kTracebackHead) + std::string(kFrame);
  return text;
}

std::vector<Kind> kinds() {
  const std::string nested = framed() + "ValueError: no\n" + std::string(kDuring);
  const std::string call = framed() + "    m = AutoModel.from_pretrained(";
  return {
      {"one_line", "", "x"},
      {"one_line_of_an_error", "ValueError: ", "abc "},
      {"one_line_of_a_traceback", framed() + "ValueError: ", "abc "},
      {"nested", "", nested},
      {"nested_without_heads", framed(), "ValueError: no\n" + std::string(kDuring)},
      {"connectives", "", std::string(kDuring)},
      {"heads", "", std::string(kTracebackHead)},
      {"frames", std::string(kTracebackHead), std::string(kFrame)},
      {"frames_without_source", "", "  File \"a.py\", line 1\n"},
      {"error_lines", "", "ValueError: \n"},
      {"nul", "", std::string(1, '\0')},
      {"nul_in_a_message", framed() + "ValueError: ", std::string("a\0 \0", 4)},
      {"broken_utf8", "", "\xc3\x28\xe2\x82\xff\xfe\xf0\x9f"},
      {"broken_utf8_in_a_message", framed() + "ValueError: ", "\xc3\x28\xe2\x82\xff\xfe\xf0\x9f"},
      {"cut_escapes", "", "\x1b["},
      {"open_titles", framed(), "\x1b]0;"},
      {"colours", framed(), "\x1b[31m"},
      {"coloured_signs", framed() + "ValueError: ", "\x1b[31mx\x1b[0m"},
      {"cursor_up", framed(), "x\n\x1b[2A"},
      {"carriage_returns", framed(), "a\r"},
      {"backspaces", framed(), "a\b"},
      {"brackets", call, "("},
      {"mixed_brackets", call, "[{("},
      {"quotes", call, "'\""},
      {"open_calls", "", "m = AutoModel.from_pretrained('a',\n"},
      {"digits", framed() + "OutOfMemoryError: CUDA out of memory. Tried to allocate ", "9"},
      {"line_numbers", std::string(kTracebackHead) + "  File \"a.py\", line ", "9"},
      {"json", "", "{\"log\":\"Traceback (most recent call last):\\n"},
      {"backslashes", "", "\\"},
      {"html", "", "<div><pre>&lt;&amp;"},
      {"boxes", "", "╭──── Traceback ────╮\n│ x │\n"},
      {"mail", "", "> > > "},
      {"prefixes", "", "[rank0]: Traceback (most recent call last):\n"},
      {"blanks", framed() + "ValueError: ", " "},
      {"line_ends", framed(), "\n"},
      {"flattened", "", "Traceback (most recent call last): File \"a.py\", line 1, in f x() "},
      {"groups", "",
       "  + Exception Group Traceback (most recent call last):\n  | ExceptionGroup: x (1 sub-exception)\n  +-+--- 1 "
       "---\n"},
      {"killed", "", "Killed\n"},
      {"anchors_on_one_line", "", "offload_folder"},
      {"alternating_scripts", "", "offload_folder中"},
      {"near_miss", framed() + "ValueError: ", "Please provide an offload_folder for "},
      {"near_miss_as_text", "", "Please provide an offload_folder for no model that is here. "},
      {"open_ending", framed() + "OutOfMemoryError: ", "CUDA out of memory. Tried to allocat "},
  };
}

std::uint64_t searched(const Work& work) { return work.bytes_searched + work.bytes_matched; }

class Hostile : public testing::TestWithParam<Kind> {};

TEST_P(Hostile, WorkGrowsWithTheTextAndNotFaster) {
  const Reading small = read_paste(of(GetParam(), kPiece), patterns());
  const Reading large = read_paste(of(GetParam(), 4 * kPiece), patterns());
  // Four times the text: four times the work, and what is done once.
  EXPECT_LE(searched(large.work), 5 * searched(small.work) + 64 * 4 * kPiece);
  EXPECT_LE(large.work.look_ups, 64U);
  EXPECT_LE(large.work.patterns_compiled, patterns().patterns().size());
}

TEST_P(Hostile, WhatIsKeptOfALargeOneHasABound) {
  Endless source(GetParam().head, GetParam().unit, kMany);
  const std::vector<Island> islands = find_islands(source);
  EXPECT_EQ(source.taken(), kMany);
  std::size_t kept = 0;
  for (const Island& island : islands) {
    EXPECT_LE(island.bytes.size(), kLongestIsland);
    kept += island.bytes.size();
  }
  EXPECT_LE(kept, kAllIslands + kLongestIsland);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Hostile, testing::ValuesIn(kinds()),
                         [](const testing::TestParamInfo<Kind>& kind) { return std::string(kind.param.name); });

TEST(HostileLine, OfAHundredMegabytesTheEndsAreKept) {
  Endless source("", "x", kLine);
  const Reading reading = read_paste(source, patterns());
  EXPECT_EQ(source.taken(), kLine);
  EXPECT_TRUE(reading.failures.empty());
  EXPECT_LE(reading.work.bytes_kept, kWholeInput);
}

TEST(HostileChain, OfAMillionNestedTheLastIsStillTheCause) {
  std::string unit = framed() + "KeyError: 'a'\n" + std::string(kDuring);
  const std::string last = raised("ValueError: Please provide an `offload_folder` for lm_head of this model.");
  // The chain, then its end.
  class Chained : public ByteSource {
   public:
    Chained(Endless first, std::string_view second) : first_(std::move(first)), second_(second) {}
    std::size_t read(char* buffer, std::size_t size) override {
      const std::size_t count = first_.read(buffer, size);
      return count > 0 ? count : second_.read(buffer, size);
    }

   private:
    Endless first_;
    TextSource second_;
  };
  Chained source(Endless(unit, unit, kLinks * unit.size()), last);
  const Reading reading = read_paste(source, patterns());
  ASSERT_EQ(reading.failures.size(), 1U);
  EXPECT_EQ(reading.failures.front().failure, "folder");
  EXPECT_EQ(reading.failures.front().captures.at("modules"), "lm_head");
  EXPECT_LE(reading.work.bytes_kept, kAllIslands + kLongestIsland);
}

TEST(HostileFrames, OfAHundredThousandTheMessageIsStillRead) {
  const std::string paste = std::string(kTracebackHead) + repeated(kFrame, 100'000 * kFrame.size()) +
                            "ValueError: Please provide an `offload_folder` for lm_head of this model.\n";
  const Reading reading = read_paste(paste, patterns());
  ASSERT_EQ(reading.failures.size(), 1U);
  EXPECT_EQ(reading.failures.front().failure, "folder");
  EXPECT_LE(reading.work.bytes_kept, kAllIslands + kLongestIsland);
}

}  // namespace
}  // namespace whyfail::matchers
