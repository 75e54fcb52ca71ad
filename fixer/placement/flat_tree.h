// A module tree as arrays: every module and tensor is a node with a number, numbered so that a module's subtree is a
// range. The allocators work on numbers; names are built only where a rule compares text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fixer/placement/module_tree.h"

namespace whyfail::fixer {

using NodeIndex = std::int32_t;
constexpr NodeIndex kNoNode = -1;

enum class NodeKind : std::uint8_t { module, parameter, buffer };

struct Node {
  std::string_view name;        // last component; points into the ModuleTree
  std::string_view class_name;  // modules
  NodeIndex parent = kNoNode;
  NodeIndex end = 0;             // one past the last node of the subtree
  NodeIndex tensors_end = 0;     // modules: own parameters are [index + 1, parameters_end), buffers follow up to here,
  NodeIndex parameters_end = 0;  // then the child modules
  NodeIndex same_tensor_as = kNoNode;  // parameters: the first node that is the same tensor object (itself if none)
  NodeIndex data = kNoNode;            // parameters: the node whose shape and dtype this name has (itself if not tied)
  double elements = 0;
  double rows = 0;  // first dimension, 0: not known
  DType dtype = DType::float32;
  NodeKind kind = NodeKind::module;
  bool persistent = true;  // buffers: in the checkpoint
};

class FlatTree {
 public:
  // Keeps views into `tree`, which must outlive it. `ties`: groups of full names that are one tensor object, the first
  // name's. Names that do not exist are passed over.
  FlatTree(const ModuleTree& tree, const std::vector<std::vector<std::string>>& ties);

  const ModuleTree& model() const { return *model_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& operator[](NodeIndex index) const { return nodes_[static_cast<std::size_t>(index)]; }
  NodeIndex size() const { return static_cast<NodeIndex>(nodes_.size()); }

  bool is_module(NodeIndex index) const { return (*this)[index].kind == NodeKind::module; }
  bool has_children(NodeIndex module) const { return (*this)[module].tensors_end < (*this)[module].end; }
  bool inside(NodeIndex index, NodeIndex module) const { return index >= module && index < (*this)[module].end; }
  std::string full_name(NodeIndex index) const;  // "model.layers.0"; "" for the root
  // Calls `visit(index, full_name)` for every parameter, in order; the name is good during the call.
  template <typename Visit>
  void for_each_parameter(Visit visit) const;
  NodeIndex node_of(std::string_view full_name) const;  // kNoNode if there is none

  // Groups of parameters that are one object, each with its names sorted as the library sorts them. The order of groups
  // is that of accelerate to 0.33 (find_tied_parameters); later releases collect them in sets, in no defined order
  // (tie_orders.cc).
  std::vector<std::vector<NodeIndex>> tied_groups() const;

 private:
  void add(const Module& module, NodeIndex parent);
  void tie(const std::vector<std::string>& names);

  const ModuleTree* model_;
  std::vector<Node> nodes_;
  std::vector<NodeIndex> tied_nodes_;
};

template <typename Visit>
void FlatTree::for_each_parameter(Visit visit) const {
  std::string name;                                // begins with the names of the modules around
  std::vector<std::size_t> length(nodes_.size());  // of a module's name with a "." behind; the root's is 0
  for (NodeIndex index = 1; index < size(); ++index) {
    const Node& node = (*this)[index];
    if (node.kind == NodeKind::buffer) continue;
    name.resize(length[static_cast<std::size_t>(node.parent)]);
    name += node.name;
    if (node.kind == NodeKind::parameter) {
      visit(index, std::as_const(name));
    } else {
      name += '.';
      length[static_cast<std::size_t>(index)] = name.size();
    }
  }
}

}  // namespace whyfail::fixer
