// The size of the largest layer that is still to be placed: what GPU 0 and the CPU keep free.
//
// Layers are the modules without child modules and the topmost modules of a no-split class. The library looks for the
// largest among what is on its work-list, remembers all names of that size, and looks again only when the last of
// these names has been taken up, or a module has been split. Which layers exist never changes, so they are sorted once
// and each question is answered from counts.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "fixer/placement/flat_tree.h"
#include "fixer/placement/sizes.h"

namespace whyfail::fixer {

class LargestLayer {
 public:
  // `unsplit`: by node, whether its class is a no-split class.
  LargestLayer(const FlatTree& tree, const Sizes& sizes, const std::vector<bool>& unsplit);

  double bytes() const { return bytes_; }
  bool fractional() const { return fractional_; }  // the library holds a float
  void take_up(NodeIndex index);  // the work-list's front has been taken; looks again over the rest if need be
  void placed(NodeIndex index);   // everything below it is gone for good
  void look_again();              // a module was split; the work-list has no taken-up module

 private:
  struct Group {
    double bytes;
    bool fractional;    // of its first member
    std::size_t first;  // in by_size_
    std::size_t last;
    std::size_t waiting;  // members not placed yet
  };

  std::size_t members_below(const Group& group, NodeIndex index) const;
  void look(NodeIndex without);

  const FlatTree& tree_;
  std::vector<NodeIndex> by_number_;   // layers in the tree's order
  std::vector<NodeIndex> by_size_;     // largest first, then in the tree's order
  std::vector<std::size_t> group_of_;  // of by_number_
  std::vector<bool> gone_;             // of by_number_
  std::vector<Group> groups_;
  std::vector<int> taken_in_;    // by node: the look in which it was taken up
  std::size_t first_group_ = 0;  // all before it are placed
  std::size_t current_ = 0;
  std::size_t names_left_ = 0;
  int look_ = 0;
  double bytes_ = 0;
  bool fractional_ = false;
};

}  // namespace whyfail::fixer
