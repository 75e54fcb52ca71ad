// What is kept of large inputs.
#include "matchers/islands.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "matchers/clean.h"
#include "matchers/landmarks.h"
#include "tests/matchers/reading_forms.h"

namespace whyfail::matchers {
namespace {

constexpr std::string_view kTraceback =
    "Traceback (most recent call last):\n  File \"/w/run.py\", line 5, in <module>\n    go()\nValueError: no room\n";

std::string log_lines(std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += "2026-11-30 12:00:00 INFO step loss device default executor served\n";
  return text;
}

std::vector<Island> islands_of(std::string_view paste) {
  TextSource source(paste);
  return find_islands(source);
}

std::size_t kept(const std::vector<Island>& islands) {
  std::size_t bytes = 0;
  for (const Island& island : islands) bytes += island.bytes.size();
  return bytes;
}

int line_at(std::string_view paste, std::size_t position) {
  return 1 + static_cast<int>(std::count(paste.begin(), paste.begin() + static_cast<long>(position), '\n'));
}

void expect_true_to(std::string_view paste, const std::vector<Island>& islands) {
  std::uint64_t last = 0;
  for (const Island& island : islands) {
    EXPECT_GE(island.begin, last);
    last = island.begin + island.bytes.size();
    ASSERT_LE(last, paste.size());
    EXPECT_EQ(paste.substr(static_cast<std::size_t>(island.begin), island.bytes.size()), island.bytes);
    EXPECT_EQ(island.line, line_at(paste, static_cast<std::size_t>(island.begin)));
  }
}

TEST(Islands, NothingGivesNothing) { EXPECT_TRUE(islands_of("").empty()); }

TEST(Islands, SmallInputIsKeptWhole) {
  const std::string paste = log_lines(kWholeInput - 1000);
  const std::vector<Island> islands = islands_of(paste);
  ASSERT_EQ(islands.size(), 1U);
  EXPECT_EQ(islands[0].bytes, paste);
}

TEST(Islands, TracebacksOfALargeLogAreFoundWithTheirLines) {
  std::string paste = log_lines(3'000'000);
  const std::size_t first = paste.size();
  paste += kTraceback;
  paste += log_lines(2'000'000);
  const std::size_t second = paste.size();
  paste += kTraceback;
  paste += log_lines(1'500'000);
  const std::vector<Island> islands = islands_of(paste);
  expect_true_to(paste, islands);
  EXPECT_LT(kept(islands), 400'000U);
  std::vector<int> lines;
  for (const Island& island : islands) {
    for (const Chain& chain : read_tracebacks(clean(island))) lines.push_back(chain.raised.at(0).line);
  }
  EXPECT_EQ(lines, (std::vector<int>{line_at(paste, first) + 3, line_at(paste, second) + 3}));
}

TEST(Islands, LandmarksAcrossChunksAreSeen) {
  for (std::size_t shift = 0; shift < 70; shift += 7) {
    std::string paste(kWholeInput + 1024 * 1024 - 40 + shift, 'x');
    paste.back() = '\n';
    const std::size_t at = paste.size();
    paste += kTraceback;
    paste += std::string(400'000, 'y');
    const std::vector<Island> islands = islands_of(paste);
    const bool found = std::any_of(islands.begin(), islands.end(), [&](const Island& island) {
      return island.begin <= at && island.begin + island.bytes.size() >= at + kTraceback.size();
    });
    EXPECT_TRUE(found) << shift;
  }
}

TEST(Islands, BeginningAndEndAreAlwaysKept) {
  const std::string paste = "$ python run.py\n" + std::string(5'000'000, 'x') + "\nend";
  const std::vector<Island> islands = islands_of(paste);
  expect_true_to(paste, islands);
  EXPECT_TRUE(islands.front().bytes.starts_with("$ python"));
  EXPECT_TRUE(islands.back().bytes.ends_with("end"));
  EXPECT_LT(kept(islands), 200'000U);
}

TEST(Islands, OfAHugeIslandHeadAndTailAreKept) {
  std::string paste = log_lines(300'000);
  for (int i = 0; i < 40'000; ++i) paste += "KeyError: " + std::to_string(i) + " some more text\n";
  const std::vector<Island> islands = islands_of(paste);
  expect_true_to(paste, islands);
  EXPECT_LE(kept(islands), 3 * kLongestIsland);
  EXPECT_TRUE(islands.back().bytes.ends_with("KeyError: 39999 some more text\n"));
}

TEST(Islands, OfVeryManyTheFirstAndTheLastAreKept) {
  std::string paste;
  for (int i = 0; i < 80; ++i) paste += std::string(kTraceback) + log_lines(70'000);
  const std::vector<Island> islands = islands_of(paste);
  EXPECT_LE(kept(islands), kAllIslands + kLongestIsland);
  EXPECT_EQ(islands.front().begin, 0U);
  EXPECT_EQ(islands.back().begin + islands.back().bytes.size(), paste.size());
}

TEST(Islands, Utf16LogsToo) {
  std::string paste = "\xFF\xFE";
  for (const char c : log_lines(400'000) + std::string(kTraceback) + log_lines(400'000)) {
    paste += c;
    paste += '\0';
  }
  const std::vector<Island> islands = islands_of(paste);
  EXPECT_LT(kept(islands), 400'000U);
  std::size_t chains = 0;
  for (const Island& island : islands) {
    EXPECT_EQ(island.encoding, Encoding::utf16_little);
    chains += read_tracebacks(clean(island)).size();
  }
  EXPECT_EQ(chains, 1U);
}

TEST(Landmarks, OneOfEachKind) {
  for (const std::string_view sign :
       {"Traceback (most recent call last):", "KeyError: x", "queue.Exception: x", "1234 Killed  python", "SIGKILL",
        "Segmentation fault (core dumped)", "Fatal Python error: Aborted", "Windows fatal exception: x",
        "CUDA out of memory", "| NVIDIA-SMI 535.54", "- `transformers` version: 4.44.2"}) {
    std::vector<std::size_t> positions;
    const std::string text = std::string(1000, '.') + std::string(sign) + std::string(1000, '.');
    find_landmarks(text, positions);
    EXPECT_EQ(positions.size(), 1U) << sign;
  }
}

TEST(Landmarks, OrdinaryLogTextHasNone) {
  std::vector<std::size_t> positions;
  find_landmarks("Error rates fell; Exceptional memory; Fathom; Winner; Segment; errors: 0; no exception was seen",
                 positions);
  EXPECT_TRUE(positions.empty());
}

TEST(Landmarks, LineEndsAreCounted) {
  EXPECT_EQ(count_line_ends(""), 0U);
  EXPECT_EQ(count_line_ends(std::string(1000, '\n') + "x"), 1000U);
}

}  // namespace
}  // namespace whyfail::matchers
