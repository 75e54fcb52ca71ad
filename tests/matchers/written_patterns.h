// Patterns for tests, made from wordings as an entry would give them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "matchers/anchors.h"
#include "matchers/wording.h"

namespace whyfail::matchers {

class WrittenPatterns : public PatternSource {
 public:
  struct Entry {
    std::string failure;
    Wording wording;
    Severity severity = Severity::error;
  };

  explicit WrittenPatterns(const std::vector<Entry>& entries) {
    for (const Entry& entry : entries) {
      auto compiled = compile_wording(entry.wording);
      if (const auto* error = std::get_if<WordingError>(&compiled)) {
        ADD_FAILURE() << entry.failure << ": " << error->reason;
        continue;
      }
      auto& pattern = std::get<Pattern>(compiled);
      pattern.failure = entry.failure;
      pattern.severity = entry.severity;
      pattern.id = static_cast<std::int64_t>(patterns_.size()) + 1;
      patterns_.push_back(std::move(pattern));
    }
    EXPECT_TRUE(choose_anchors(patterns_).empty());
    std::vector<std::uint64_t> hashes;
    for (const Pattern& pattern : patterns_) {
      hashes.push_back(anchor_hash(pattern.anchor));
      if (const auto opening = opening_hash(pattern)) hashes.push_back(*opening);
    }
    filter_ = make_anchor_filter(hashes);
  }

  std::string_view anchor_filter() const override { return filter_; }
  std::vector<Pattern> patterns_with(std::uint64_t hash) const override {
    std::vector<Pattern> found;
    for (const Pattern& pattern : patterns_) {
      if (anchor_hash(pattern.anchor) == hash || opening_hash(pattern) == hash) found.push_back(pattern);
    }
    return found;
  }

  const std::vector<Pattern>& patterns() const { return patterns_; }

 private:
  std::vector<Pattern> patterns_;
  std::string filter_;
};

inline Wording text_wording(std::string text, std::vector<std::string> exceptions = {"ValueError"}) {
  Wording wording;
  wording.text = std::move(text);
  wording.exceptions = std::move(exceptions);
  return wording;
}

}  // namespace whyfail::matchers
