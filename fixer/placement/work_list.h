// The list of modules and tensors that are still to be placed, in order. Every node is in it at most once, so it is a
// linked list over node numbers and nothing is ever searched for.
#pragma once

#include <vector>

#include "fixer/placement/flat_tree.h"

namespace whyfail::fixer {

class WorkList {
 public:
  explicit WorkList(const FlatTree& tree) : tree_(tree), next_(tree.nodes().size() + 1, kNoNode) {
    previous_ = next_;
    listed_.resize(next_.size());
    end_ = tree.size();
    next_[at(end_)] = end_;
    previous_[at(end_)] = end_;
  }

  bool empty() const { return next_[at(end_)] == end_; }
  NodeIndex front() const { return next_[at(end_)]; }
  NodeIndex after(NodeIndex node) const { return next_[at(node)]; }  // end() after the last
  NodeIndex end() const { return end_; }
  bool holds(NodeIndex node) const { return listed_[at(node)]; }

  void push_front(NodeIndex node) { insert(node, front()); }
  void push_back(NodeIndex node) { insert(node, end_); }
  void remove(NodeIndex node);
  // Puts a module's own parameters and children where `before` is, in front of it.
  void insert_parts(NodeIndex module, NodeIndex before);
  // The listed module that contains `tensor`, kNoNode if there is none.
  NodeIndex holder_of(NodeIndex tensor) const;

 private:
  static std::size_t at(NodeIndex node) { return static_cast<std::size_t>(node); }
  void insert(NodeIndex node, NodeIndex before);

  const FlatTree& tree_;
  std::vector<NodeIndex> next_;
  std::vector<NodeIndex> previous_;
  std::vector<bool> listed_;
  NodeIndex end_ = 0;
};

}  // namespace whyfail::fixer
