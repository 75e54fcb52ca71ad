// data/accounting.tsv against the shipped entries: every wording of the releases read is matched by the entry that its
// line names and by no other, and a wording that is left out is matched by none.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "kb/knowledge_base.h"
#include "matchers/reading.h"

namespace whyfail::kb {
namespace {

constexpr std::size_t wordings_read = 938;

struct AccountedWording {
  std::size_t line = 0;
  std::string raised_as;  // class, or "log" and the like where nothing is raised
  std::string message;
  std::string failure;  // id or "out"
  std::string reason;
};

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char sign : line) {
    if (sign == '\t') {
      fields.emplace_back();
    } else {
      fields.back() += sign;
    }
  }
  return fields;
}

std::vector<AccountedWording> read_accounting() {
  std::vector<AccountedWording> wordings;
  std::ifstream file(std::string(WHYFAIL_DATA) + "/accounting.tsv", std::ios::binary);
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() != 6) {
      ADD_FAILURE() << "accounting.tsv:" << number << ": " << fields.size() << " fields instead of 6";
      continue;
    }
    wordings.push_back({number, fields[2], fields[3], fields[4], fields[5]});
  }
  return wordings;
}

// The knowledge base as if it had no entry for one failure.
class WithoutFailure : public matchers::PatternSource {
 public:
  WithoutFailure(const matchers::PatternSource& all, std::string_view failure) : all_(all), failure_(failure) {}
  std::string_view anchor_filter() const override { return all_.anchor_filter(); }
  std::vector<matchers::Pattern> patterns_with(std::uint64_t anchor_hash) const override {
    std::vector<matchers::Pattern> kept;
    for (matchers::Pattern& pattern : all_.patterns_with(anchor_hash)) {
      if (pattern.failure != failure_) kept.push_back(std::move(pattern));
    }
    return kept;
  }

 private:
  const matchers::PatternSource& all_;
  std::string_view failure_;
};

std::string shown(const AccountedWording& wording) {
  const bool raised = wording.raised_as != "log" && wording.raised_as != "print";
  return raised ? wording.raised_as + ": " + wording.message : wording.message;
}

struct Answer {
  std::string failure = "out";  // as the table says it where nothing matches
  std::string message;
};

Answer answer_to(const AccountedWording& wording, const matchers::PatternSource& patterns) {
  const matchers::Reading reading = matchers::read_paste(shown(wording), patterns);
  const std::vector<matchers::Match>& matches = reading.failures.empty() ? reading.notes : reading.failures;
  if (matches.empty()) return {};
  return {matches.front().failure, matches.front().message};
}

TEST(Accounting, EveryWordingHasALineWithAKnownFailureOrAReason) {
  const KnowledgeBase knowledge = KnowledgeBase::shipped();
  const std::vector<AccountedWording> wordings = read_accounting();
  EXPECT_EQ(wordings.size(), wordings_read);
  for (const AccountedWording& wording : wordings) {
    if (wording.failure == "out") {
      EXPECT_FALSE(wording.reason.empty()) << "accounting.tsv:" << wording.line << ": left out without a reason";
    } else {
      EXPECT_TRUE(knowledge.failure(wording.failure)) << "accounting.tsv:" << wording.line << ": no such entry";
    }
  }
}

TEST(Accounting, TheEntryNamedMatchesAndNoOtherDoes) {
  const KnowledgeBase knowledge = KnowledgeBase::shipped();
  for (const AccountedWording& wording : read_accounting()) {
    EXPECT_EQ(answer_to(wording, knowledge).failure, wording.failure) << "accounting.tsv:" << wording.line;
    // Another entry may be that of a sentence which this one begins with; it must not be that of all of it.
    const Answer second = answer_to(wording, WithoutFailure(knowledge, wording.failure));
    EXPECT_LT(second.message.size(), wording.message.size())
        << "accounting.tsv:" << wording.line << ": " << second.failure << " matches, too";
  }
}

}  // namespace
}  // namespace whyfail::kb
