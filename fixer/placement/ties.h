// Which tied tensors pull other modules along when a module is placed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fixer/placement/flat_tree.h"
#include "fixer/placement/rules.h"

namespace whyfail::fixer {

class Ties {
 public:
  // `groups` in the order in which the library has them (tie_orders.cc says where that is not defined).
  Ties(const FlatTree& tree, const std::vector<std::vector<NodeIndex>>& groups, const Rules& rules);

  bool none() const { return groups_.empty(); }
  // Members outside `module` of every group that has members on both sides. "Inside" is a test of text, and not of a
  // prefix: accelerate/utils/modeling.py infer_auto_device_map.
  std::vector<NodeIndex> members_outside(NodeIndex module) const;
  const std::string& name_of(NodeIndex member) const;  // of a member
  std::size_t group_of(NodeIndex member) const;        // its place in `groups`; their number if it is no member

 private:
  struct Member {
    NodeIndex node;
    std::string name;         // full
    std::string name_dotted;  // with a "." at the end
  };
  bool inside(const std::string& module, const std::string& module_dotted, const Member& member) const;

  const FlatTree& tree_;
  bool plain_substring_;
  std::vector<std::vector<Member>> groups_;
};

// transformers 5: {duplicate: source} as groups of names, sorted as the library sorts them.
std::vector<std::vector<NodeIndex>> declared_groups(const FlatTree& tree,
                                                    const std::vector<std::vector<std::string>>& ties);

}  // namespace whyfail::fixer
