// Patterns of further layers get numbers of their own range, so that a match tells which layer it is from.
#include "cli/knowledge.h"

#include <algorithm>

namespace whyfail::cli {
namespace {

constexpr std::int64_t layer_step = std::int64_t{1} << 40;

}  // namespace

Knowledge::Knowledge(const std::vector<std::string>& files) {
  layers_.push_back(kb::KnowledgeBase::shipped());
  for (const std::string& file : files) layers_.push_back(kb::KnowledgeBase::open(file));
  if (layers_.size() == 1) return;
  filter_ = layers_.front().anchor_filter();
  for (std::size_t layer = 1; layer < layers_.size(); ++layer) {
    const std::string_view more = layers_[layer].anchor_filter();
    if (more.size() != filter_.size()) {
      throw kb::KnowledgeBaseError(files[layer - 1] +
                                   ": was made by another version; make it again with 'whyfail kb build'");
    }
    for (std::size_t i = 0; i < more.size(); ++i) {
      filter_[i] = static_cast<char>(static_cast<unsigned char>(filter_[i]) | static_cast<unsigned char>(more[i]));
    }
  }
}

std::string_view Knowledge::anchor_filter() const {
  return filter_.empty() ? layers_.front().anchor_filter() : std::string_view(filter_);
}

std::vector<matchers::Pattern> Knowledge::patterns_with(std::uint64_t anchor_hash) const {
  if (layers_.size() == 1) return layers_.front().patterns_with(anchor_hash);
  std::vector<matchers::Pattern> patterns;
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    for (matchers::Pattern& pattern : layers_[layer].patterns_with(anchor_hash)) {
      const bool replaced =
          std::any_of(layers_.begin() + static_cast<std::ptrdiff_t>(layer) + 1, layers_.end(),
                      [&](const kb::KnowledgeBase& later) { return later.failure(pattern.failure).has_value(); });
      if (replaced) continue;
      pattern.id += static_cast<std::int64_t>(layer) * layer_step;
      patterns.push_back(std::move(pattern));
    }
  }
  return patterns;
}

std::optional<kb::Failure> Knowledge::failure(std::string_view id) const {
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    if (auto found = layer->failure(id)) return found;
  }
  return std::nullopt;
}

Knowledge::Place Knowledge::place_of(std::int64_t pattern) const {
  const auto layer = std::min(static_cast<std::size_t>(pattern / layer_step), layers_.size() - 1);
  return {layers_[layer], pattern % layer_step};
}

}  // namespace whyfail::cli
