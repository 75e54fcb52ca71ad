// Runs every sample and counter-sample of the data through the matchers.
#include "kb/build/checks.h"

#include <map>
#include <set>

#include "kb/pattern_rows.h"
#include "matchers/anchors.h"
#include "matchers/reading.h"
#include "matchers/trial.h"

namespace whyfail::kb {
namespace {

// The patterns of a database that is still being built.
class BuiltPatterns : public matchers::PatternSource {
 public:
  explicit BuiltPatterns(const Database& database) : by_anchor_(database), filter_(anchor_filter_of(database)) {}
  std::string_view anchor_filter() const override { return filter_; }
  std::vector<matchers::Pattern> patterns_with(std::uint64_t anchor_hash) const override {
    return by_anchor_.of(anchor_hash);
  }

 private:
  mutable PatternsByAnchor by_anchor_;  // a query keeps its place
  std::string filter_;
};

struct Sample {
  std::int64_t pattern;
  std::string failure;
  std::string text;
  bool near;
  std::string file;
  int line;
};

std::vector<Sample> all_samples(const Database& database) {
  Statement query(
      database,
      "SELECT sample.pattern, pattern.failure, sample.text, sample.kind, failure.file, sample.line "
      "FROM sample JOIN pattern ON pattern.id = sample.pattern JOIN failure ON failure.id = pattern.failure "
      "ORDER BY sample.pattern, sample.kind, sample.position");
  std::vector<Sample> samples;
  while (query.step()) {
    samples.push_back({query.number(0), query.text(1), query.text(2), query.view(3) == "near", query.text(4),
                       static_cast<int>(query.number(5))});
  }
  return samples;
}

std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 60;
  std::string line = text.substr(0, longest);
  for (char& sign : line) sign = sign == '\n' ? ' ' : sign;
  return "'" + line + (text.size() > longest ? "…'" : "'");
}

// What a sample was taken for.
struct Answer {
  std::string failure;
  std::int64_t pattern = 0;
};

Answer answer_to(const Sample& sample, const BuiltPatterns& patterns) {
  const matchers::Reading reading = matchers::read_paste(sample.text, patterns);
  if (!reading.failures.empty()) return {reading.failures.front().failure, reading.failures.front().pattern};
  if (!reading.notes.empty()) return {reading.notes.front().failure, reading.notes.front().pattern};
  return {};
}

void check_near(Building& building, const Sample& sample, const Answer& answer) {
  if (answer.failure != sample.failure) return;
  building.complain(
      sample.file, sample.line,
      "the near text " + shortened(sample.text) + " is matched; write more of the message, or name frames");
}

// Why the wording of a sample does not answer it.
std::string lack(const Sample& sample, const BuiltPatterns& patterns) {
  for (const matchers::Trial& trial : matchers::try_patterns(sample.text, patterns)) {
    if (trial.pattern == sample.pattern) return trial.verdict;
  }
  return "the fixed words of the wording do not stand in it, or not in this order";
}

void check_sample(Building& building, const Sample& sample, const BuiltPatterns& patterns, const Answer& answer) {
  if (answer.failure == sample.failure) return;
  if (answer.failure.empty()) {
    building.complain(sample.file, sample.line,
                      "the sample " + shortened(sample.text) + " is not matched: " + lack(sample, patterns));
  } else {
    building.complain(sample.file, sample.line,
                      "the sample " + shortened(sample.text) + " is taken for '" + answer.failure + "'");
  }
}

// Wordings that differ only in blanks or quotes have one expression; either may answer.
bool same_expression(const Database& database, std::int64_t left, std::int64_t right) {
  if (left == right) return true;
  Statement query(database, "SELECT count(DISTINCT expression) FROM pattern WHERE id IN (?, ?)");
  return query.bind(left).bind(right).step() && query.number(0) == 1;
}

}  // namespace

void check_patterns(Building& building) {
  const BuiltPatterns patterns(building.database);
  std::map<std::string, std::string> claimed;  // sample → failure
  std::map<std::int64_t, Sample> silent;       // wordings that answered none of their samples
  std::set<std::int64_t> answering;
  for (const Sample& sample : all_samples(building.database)) {
    const Answer answer = answer_to(sample, patterns);
    if (sample.near) {
      check_near(building, sample, answer);
      continue;
    }
    const auto [claim, fresh] = claimed.emplace(sample.text, sample.failure);
    if (!fresh && claim->second != sample.failure) {
      building.complain(sample.file, sample.line,
                        "the sample " + shortened(sample.text) + " is one of '" + claim->second + "', too");
    }
    check_sample(building, sample, patterns, answer);
    silent.emplace(sample.pattern, sample);
    if (answer.failure != sample.failure || same_expression(building.database, answer.pattern, sample.pattern)) {
      answering.insert(sample.pattern);
    }
  }
  for (const auto& [pattern, sample] : silent) {
    if (answering.count(pattern) != 0) continue;
    building.complain(
        sample.file, sample.line,
        "another wording of the entry answers all samples of this one; drop it, or give it a sample of its own");
  }
}

std::string anchor_filter_of(const Database& database) {
  Statement query(database, "SELECT hash FROM anchor");
  std::vector<std::uint64_t> hashes;
  while (query.step()) hashes.push_back(static_cast<std::uint64_t>(query.number(0)));
  return matchers::make_anchor_filter(hashes);
}

}  // namespace whyfail::kb
