// Text tests between module names and tied names.
#include "fixer/placement/ties.h"

#include <algorithm>

namespace whyfail::fixer {

Ties::Ties(const FlatTree& tree, const std::vector<std::vector<NodeIndex>>& groups, const Rules& rules)
    : tree_(tree), plain_substring_(rules.ties_by_plain_substring) {
  for (const std::vector<NodeIndex>& group : groups) {
    std::vector<Member>& members = groups_.emplace_back();
    for (const NodeIndex node : group) {
      const std::string name = tree.full_name(node);
      members.push_back({node, name, name + "."});
    }
  }
}

bool Ties::inside(const std::string& module, const std::string& module_dotted, const Member& member) const {
  if (plain_substring_) return member.name.find(module) != std::string::npos;
  return member.name_dotted.find(module_dotted) != std::string::npos;
}

std::vector<NodeIndex> Ties::members_outside(NodeIndex module) const {
  std::vector<NodeIndex> outside;
  if (groups_.empty()) return outside;
  const std::string name = tree_.full_name(module);
  const std::string dotted = name + ".";
  for (const std::vector<Member>& group : groups_) {
    const std::size_t before = outside.size();
    for (const Member& member : group) {
      if (!inside(name, dotted, member)) outside.push_back(member.node);
    }
    // all outside: the group does not concern this module
    if (outside.size() - before == group.size()) outside.resize(before);
  }
  return outside;
}

const std::string& Ties::name_of(NodeIndex member) const {
  static const std::string kNone;
  for (const std::vector<Member>& group : groups_) {
    for (const Member& candidate : group) {
      if (candidate.node == member) return candidate.name;
    }
  }
  return kNone;
}

std::size_t Ties::group_of(NodeIndex member) const {
  std::size_t group = 0;
  const auto is_member = [&](const Member& candidate) { return candidate.node == member; };
  while (group < groups_.size() && std::none_of(groups_[group].begin(), groups_[group].end(), is_member)) ++group;
  return group;
}

std::vector<std::vector<NodeIndex>> declared_groups(const FlatTree& tree,
                                                    const std::vector<std::vector<std::string>>& ties) {
  std::vector<std::vector<NodeIndex>> groups;
  for (std::vector<std::string> names : ties) {
    std::sort(names.begin(), names.end());
    std::vector<NodeIndex> group;
    for (const std::string& name : names) {
      const NodeIndex node = tree.node_of(name);
      if (node != kNoNode) group.push_back(node);
    }
    if (group.size() > 1) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace whyfail::fixer
