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
  // The last layer that has the entry; nullptr: none.
  const kb::KnowledgeBase* layer_with(std::string_view id) const;
  // All entries by id, and those that words or a description remind of, as kb::KnowledgeBase has them.
  std::vector<kb::FailureSummary> failures() const;
  std::vector<kb::Similar> search(std::string_view words) const;
  std::vector<kb::Similar> similar(std::string_view text, std::size_t most = 3) const;
  // The layer that a pattern of patterns_with() is from, and its number there.
  struct Place {
    const kb::KnowledgeBase& layer;
    std::int64_t pattern;
  };
  Place place_of(std::int64_t pattern) const;

 private:
  // Of what each layer found, what no later layer replaces, best first.
  std::vector<kb::Similar> merged(std::vector<std::vector<kb::Similar>> by_layer) const;
  bool is_replaced(std::size_t layer, std::string_view id) const;

  std::vector<kb::KnowledgeBase> layers_;  // the shipped one first
  std::string filter_;                     // of all layers; empty: there is only one
};

}  // namespace whyfail::cli
