// The shipped knowledge base and those given with --kb as one: entries of a later one win.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kb/knowledge_base.h"
#include "matchers/pattern.h"

namespace whyfail::cli {

class Knowledge : public matchers::PatternSource {
 public:
  // Throws kb::KnowledgeBaseError, which names the file and what is wrong with it.
  explicit Knowledge(const std::vector<std::string>& files);

  std::string_view anchor_filter() const override;
  std::vector<matchers::Pattern> patterns_with(std::uint64_t anchor_hash) const override;

  const kb::KnowledgeBase& shipped() const { return layers_.front(); }
  std::optional<kb::Failure> failure(std::string_view id) const;
  // The layer that a pattern of patterns_with() is from, and its number there.
  struct Place {
    const kb::KnowledgeBase& layer;
    std::int64_t pattern;
  };
  Place place_of(std::int64_t pattern) const;

 private:
  std::vector<kb::KnowledgeBase> layers_;  // the shipped one first
  std::string filter_;                     // of all layers; empty: there is only one
};

}  // namespace whyfail::cli
