// Builds the arrays and marks which parameters are one tensor.
#include "fixer/placement/flat_tree.h"

#include <algorithm>
#include <map>

namespace whyfail::fixer {

namespace {

std::size_t count_nodes(const Module& module) {
  std::size_t count = 1 + module.parameters.size() + module.buffers.size();
  for (const Module& child : module.children) count += count_nodes(child);
  return count;
}

}  // namespace

FlatTree::FlatTree(const ModuleTree& tree, const std::vector<std::vector<std::string>>& ties) : model_(&tree) {
  nodes_.reserve(count_nodes(tree.root));
  add(tree.root, kNoNode);
  for (const std::vector<std::string>& names : ties) tie(names);
  // The first name in traversal order stands for the object.
  std::sort(tied_nodes_.begin(), tied_nodes_.end());
  tied_nodes_.erase(std::unique(tied_nodes_.begin(), tied_nodes_.end()), tied_nodes_.end());
  std::map<NodeIndex, NodeIndex> first_of;
  for (const NodeIndex index : tied_nodes_) {
    Node& node = nodes_[static_cast<std::size_t>(index)];
    node.same_tensor_as = first_of.emplace(node.data, index).first->second;
  }
}

// Depth is bounded by whoever made the tree (readers of requests and configs refuse deep ones).
void FlatTree::add(const Module& module, NodeIndex parent) {
  const NodeIndex index = size();
  nodes_.push_back({module.name, module.class_name, parent});
  const auto add_tensor = [&](const Tensor& tensor, NodeKind kind) {
    const NodeIndex at = size();
    Node node{tensor.name, {}, index};
    node.end = at + 1;
    node.tensors_end = at + 1;
    node.same_tensor_as = at;
    node.data = at;
    node.elements = static_cast<double>(tensor.elements);
    node.rows = static_cast<double>(tensor.rows);
    node.dtype = tensor.dtype;
    node.kind = kind;
    node.persistent = tensor.persistent;
    nodes_.push_back(node);
  };
  for (const Tensor& tensor : module.parameters) add_tensor(tensor, NodeKind::parameter);
  nodes_[static_cast<std::size_t>(index)].parameters_end = size();
  for (const Tensor& tensor : module.buffers) add_tensor(tensor, NodeKind::buffer);
  nodes_[static_cast<std::size_t>(index)].tensors_end = size();
  for (const Module& child : module.children) add(child, index);
  nodes_[static_cast<std::size_t>(index)].end = size();
}

void FlatTree::tie(const std::vector<std::string>& names) {
  NodeIndex first = kNoNode;
  for (const std::string& name : names) {
    const NodeIndex index = node_of(name);
    if (index == kNoNode || (*this)[index].kind != NodeKind::parameter) continue;
    if (first == kNoNode) first = index;
    nodes_[static_cast<std::size_t>(index)].data = (*this)[first].data;
    tied_nodes_.push_back(index);
  }
}

std::string FlatTree::full_name(NodeIndex index) const {
  std::size_t length = 0;
  for (NodeIndex at = index; (*this)[at].parent != kNoNode; at = (*this)[at].parent)
    length += (*this)[at].name.size() + 1;
  if (length == 0) return {};
  std::string name(length - 1, '.');
  std::size_t end = name.size();
  for (NodeIndex at = index; (*this)[at].parent != kNoNode; at = (*this)[at].parent) {
    const std::string_view part = (*this)[at].name;
    end -= part.size();
    std::copy(part.begin(), part.end(), name.begin() + static_cast<std::ptrdiff_t>(end));
    if (end > 0) --end;
  }
  return name;
}

NodeIndex FlatTree::node_of(std::string_view full_name) const {
  NodeIndex at = 0;
  while (!full_name.empty()) {
    const std::size_t dot = full_name.find('.');
    const std::string_view part = full_name.substr(0, dot);
    full_name = dot == std::string_view::npos ? std::string_view() : full_name.substr(dot + 1);
    if (!is_module(at)) return kNoNode;
    NodeIndex child = at + 1;
    const NodeIndex end = (*this)[at].end;
    while (child < end && (*this)[child].name != part) child = (*this)[child].end;
    if (child >= end) return kNoNode;
    at = child;
  }
  return at;
}

namespace {

// Where a walk from the root, which lists each module's tensors once and then its children, first meets a member as a
// second name: the highest module around it that holds no earlier member, and the member itself.
std::pair<NodeIndex, NodeIndex> first_met(const FlatTree& tree, const std::vector<NodeIndex>& members) {
  std::pair<NodeIndex, NodeIndex> first{tree.size(), tree.size()};
  for (std::size_t i = 1; i < members.size(); ++i) {
    NodeIndex module = members[i];
    for (NodeIndex at = tree[module].parent; at != kNoNode && !tree.inside(members[i - 1], at); at = tree[at].parent) {
      module = at;
    }
    first = std::min(first, {module, members[i]});
  }
  return first;
}

}  // namespace

std::vector<std::vector<NodeIndex>> FlatTree::tied_groups() const {
  std::map<NodeIndex, std::vector<NodeIndex>> members;
  for (const NodeIndex index : tied_nodes_) members[(*this)[index].same_tensor_as].push_back(index);
  std::map<std::pair<NodeIndex, NodeIndex>, std::vector<NodeIndex>> in_order;
  for (auto& [first, group] : members) {
    if (group.size() > 1) in_order.emplace(first_met(*this, group), std::move(group));
  }
  std::vector<std::vector<NodeIndex>> groups;
  for (auto& [met, group] : in_order) {
    std::vector<std::pair<std::string, NodeIndex>> named;
    for (const NodeIndex index : group) named.emplace_back(full_name(index), index);
    std::sort(named.begin(), named.end());
    for (std::size_t i = 0; i < group.size(); ++i) group[i] = named[i].second;
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace whyfail::fixer
