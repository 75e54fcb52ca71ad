// get_max_layer_size and the bookkeeping around it in infer_auto_device_map.
#include "fixer/placement/largest_layer.h"

#include <algorithm>

namespace whyfail::fixer {

LargestLayer::LargestLayer(const FlatTree& tree, const Sizes& sizes, const std::vector<bool>& unsplit)
    : tree_(tree), taken_in_(tree.nodes().size(), -1) {
  // The first look also sees the root's own tensors; later ones see modules only.
  for (NodeIndex index = 1; index < tree.size();) {
    const Node& node = tree[index];
    if (node.kind != NodeKind::module) {
      const bool listed = node.kind == NodeKind::buffer || node.same_tensor_as == index;
      if (node.parent == 0 && listed) by_number_.push_back(index);
      ++index;
    } else if (!tree.has_children(index) || unsplit[static_cast<std::size_t>(index)]) {
      by_number_.push_back(index);
      index = node.end;
    } else {
      ++index;
    }
  }
  by_size_ = by_number_;
  std::stable_sort(by_size_.begin(), by_size_.end(),
                   [&](NodeIndex left, NodeIndex right) { return sizes.of(left) > sizes.of(right); });
  gone_.resize(by_number_.size());
  group_of_.resize(by_number_.size());
  for (std::size_t i = 0; i < by_size_.size(); ++i) {
    const double bytes = sizes.of(by_size_[i]);
    if (groups_.empty() || groups_.back().bytes != bytes)
      groups_.push_back({bytes, bytes > 0 && sizes.fractional[static_cast<std::size_t>(by_size_[i])], i, i, 0});
    groups_.back().last = i + 1;
    ++groups_.back().waiting;
    const auto at = std::lower_bound(by_number_.begin(), by_number_.end(), by_size_[i]);
    group_of_[static_cast<std::size_t>(at - by_number_.begin())] = groups_.size() - 1;
  }
  look(kNoNode);
  // From now on the root's tensors are no layers.
  for (NodeIndex index = 1; !by_number_.empty() && index < tree[0].tensors_end; ++index) {
    const auto at = std::lower_bound(by_number_.begin(), by_number_.end(), index);
    if (at == by_number_.end() || *at != index) continue;
    const std::size_t position = static_cast<std::size_t>(at - by_number_.begin());
    gone_[position] = true;
    --groups_[group_of_[position]].waiting;
  }
}

std::size_t LargestLayer::members_below(const Group& group, NodeIndex index) const {
  if (look_ > 1 && !tree_.is_module(index)) return 0;
  const auto begin = by_size_.begin() + static_cast<std::ptrdiff_t>(group.first);
  const auto end = by_size_.begin() + static_cast<std::ptrdiff_t>(group.last);
  const auto first = std::lower_bound(begin, end, index);
  return static_cast<std::size_t>(std::lower_bound(first, end, tree_[index].end) - first);
}

void LargestLayer::look(NodeIndex without) {
  ++look_;
  while (first_group_ < groups_.size() && groups_[first_group_].waiting == 0) ++first_group_;
  names_left_ = 0;
  bytes_ = 0;
  fractional_ = false;
  for (std::size_t i = first_group_; i < groups_.size(); ++i) {
    const std::size_t excluded = without == kNoNode ? 0 : members_below(groups_[i], without);
    if (groups_[i].waiting <= excluded) continue;
    current_ = i;
    names_left_ = groups_[i].waiting - excluded;
    bytes_ = groups_[i].bytes;
    fractional_ = groups_[i].fractional;
    break;
  }
  if (without != kNoNode) taken_in_[static_cast<std::size_t>(without)] = look_;
}

void LargestLayer::take_up(NodeIndex index) {
  int& taken = taken_in_[static_cast<std::size_t>(index)];
  if (taken != look_ && names_left_ > 0) {
    taken = look_;
    names_left_ -= std::min(names_left_, members_below(groups_[current_], index));
  }
  if (names_left_ == 0) look(index);
}

void LargestLayer::placed(NodeIndex index) {
  auto at = std::lower_bound(by_number_.begin(), by_number_.end(), index);
  for (; at != by_number_.end() && *at < tree_[index].end; ++at) {
    const std::size_t position = static_cast<std::size_t>(at - by_number_.begin());
    if (gone_[position]) continue;
    gone_[position] = true;
    --groups_[group_of_[position]].waiting;
  }
}

void LargestLayer::look_again() { look(kNoNode); }

}  // namespace whyfail::fixer
