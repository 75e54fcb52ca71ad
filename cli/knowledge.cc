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
      if (is_replaced(layer, pattern.failure)) continue;
      pattern.id += static_cast<std::int64_t>(layer) * layer_step;
      patterns.push_back(std::move(pattern));
    }
  }
  return patterns;
}

bool Knowledge::is_replaced(std::size_t layer, std::string_view id) const {
  return std::any_of(layers_.begin() + static_cast<std::ptrdiff_t>(layer) + 1, layers_.end(),
                     [&](const kb::KnowledgeBase& later) { return later.has(id); });
}

const kb::KnowledgeBase* Knowledge::layer_with(std::string_view id) const {
  const auto found = std::find_if(layers_.rbegin(), layers_.rend(), [&](const auto& layer) { return layer.has(id); });
  return found == layers_.rend() ? nullptr : &*found;
}

std::optional<kb::Failure> Knowledge::failure(std::string_view id) const {
  const kb::KnowledgeBase* layer = layer_with(id);
  return layer == nullptr ? std::nullopt : layer->failure(id);
}

std::vector<kb::FailureSummary> Knowledge::failures() const {
  std::vector<kb::FailureSummary> all;
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    for (kb::FailureSummary& failure : layers_[layer].failures()) {
      if (!is_replaced(layer, failure.id)) all.push_back(std::move(failure));
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& left, const auto& right) { return left.id < right.id; });
  return all;
}

std::vector<kb::Similar> Knowledge::merged(std::vector<std::vector<kb::Similar>> by_layer) const {
  std::vector<kb::Similar> all;
  for (std::size_t layer = layers_.size(); layer-- > 0;) {
    for (kb::Similar& similar : by_layer[layer]) {
      if (!is_replaced(layer, similar.id)) all.push_back(std::move(similar));
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& left, const auto& right) { return left.score > right.score; });
  return all;
}

std::vector<kb::Similar> Knowledge::search(std::string_view words) const {
  std::vector<std::vector<kb::Similar>> by_layer;
  for (const kb::KnowledgeBase& layer : layers_) by_layer.push_back(layer.search(words, shipped()));
  return merged(std::move(by_layer));
}

std::vector<kb::Similar> Knowledge::similar(std::string_view text, std::size_t most) const {
  std::vector<std::vector<kb::Similar>> by_layer;
  for (const kb::KnowledgeBase& layer : layers_) by_layer.push_back(layer.similar(text, shipped(), most));
  std::vector<kb::Similar> all = merged(std::move(by_layer));
  all.resize(std::min(all.size(), most));
  return all;
}

Knowledge::Place Knowledge::place_of(std::int64_t pattern) const {
  const auto layer = std::min(static_cast<std::size_t>(pattern / layer_step), layers_.size() - 1);
  return {layers_[layer], pattern % layer_step};
}

}  // namespace whyfail::cli
