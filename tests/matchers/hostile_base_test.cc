// The shipped knowledge base against text made from its own wordings: near misses of each, many times over, and its own
// samples with the number of expressions that they cost.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kb/knowledge_base.h"
#include "matchers/reading.h"
#include "tests/matchers/hostile_text.h"

namespace whyfail::kb {
namespace {

using matchers::Pattern;
using matchers::Reading;

constexpr std::size_t kMostCompiled = 3;
// Sanitizers take ten times as long; the counts are as telling on less text.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kPiece = 2'000;
#else
constexpr std::size_t kPiece = 8'000;
#endif

const KnowledgeBase& base() {
  static const KnowledgeBase shipped = KnowledgeBase::shipped();
  return shipped;
}

std::vector<WordingSummary> all_wordings() {
  std::vector<WordingSummary> wordings;
  for (const FailureSummary& failure : base().failures()) {
    for (WordingSummary& wording : base().wordings(failure.id)) wordings.push_back(std::move(wording));
  }
  return wordings;
}

// The first half of a message, with other words where its end should be.
std::string near_miss(const std::string& message) {
  const std::size_t blank = message.find(' ', message.size() / 2);
  return message.substr(0, blank) + " qqq zzz vvv. ";
}

std::string without_class(const std::string& sample) {
  const std::size_t colon = sample.find(": ");
  const bool is_class = colon != std::string::npos && sample.find(' ') > colon;
  return is_class ? sample.substr(colon + 2) : sample;
}

std::uint64_t searched(const Reading& reading) { return reading.work.bytes_searched + reading.work.bytes_matched; }

TEST(HostileBase, NearMissesOfEachWordingCostTheirSize) {
  for (const WordingSummary& wording : all_wordings()) {
    if (wording.samples.empty()) continue;
    const std::string unit = near_miss(without_class(wording.samples.front()));
    const std::string type = wording.exceptions.empty() ? "ValueError" : wording.exceptions.front();
    std::uint64_t small = 0;
    for (const std::size_t bytes : {kPiece, 4 * kPiece}) {
      const std::string text = matchers::repeated(unit, bytes);
      const Reading as_message = matchers::read_paste(matchers::raised(type + ": " + text), base());
      const Reading as_text = matchers::read_paste(text, base());
      const std::uint64_t cost = searched(as_message) + searched(as_text);
      // Four times the text: four times the work, and what is done once for each wording that begins alike.
      if (small != 0) {
        EXPECT_LE(cost, 5 * small + 200 * kPiece) << wording.wording;
      }
      small = cost;
    }
  }
}

TEST(HostileBase, SamplesCostAtMostThreeExpressions) {
  for (const WordingSummary& wording : all_wordings()) {
    for (const std::string& sample : wording.samples) {
      EXPECT_LE(matchers::read_paste(sample, base()).work.patterns_compiled, kMostCompiled) << sample;
      const Reading inside = matchers::read_paste(matchers::raised(sample), base());
      EXPECT_LE(inside.work.patterns_compiled, kMostCompiled) << sample;
    }
  }
}

}  // namespace
}  // namespace whyfail::kb
