// Links and unlinks nodes.
#include "fixer/placement/work_list.h"

namespace whyfail::fixer {

void WorkList::insert(NodeIndex node, NodeIndex before) {
  const NodeIndex earlier = previous_[at(before)];
  next_[at(earlier)] = node;
  previous_[at(node)] = earlier;
  next_[at(node)] = before;
  previous_[at(before)] = node;
  listed_[at(node)] = true;
}

void WorkList::remove(NodeIndex node) {
  next_[at(previous_[at(node)])] = next_[at(node)];
  previous_[at(next_[at(node)])] = previous_[at(node)];
  listed_[at(node)] = false;
}

void WorkList::insert_parts(NodeIndex module, NodeIndex before) {
  const Node& owner = tree_[module];
  for (NodeIndex index = module + 1; index < owner.parameters_end; ++index) {
    // a tensor that the module holds twice is listed once
    const NodeIndex same = tree_[index].same_tensor_as;
    bool again = false;
    for (NodeIndex earlier = module + 1; same != index && earlier < index && !again; ++earlier) {
      again = tree_[earlier].same_tensor_as == same;
    }
    if (!again) insert(index, before);
  }
  for (NodeIndex child = owner.tensors_end; child < owner.end; child = tree_[child].end) insert(child, before);
}

NodeIndex WorkList::holder_of(NodeIndex tensor) const {
  NodeIndex node = tree_[tensor].parent;
  while (node != kNoNode && !holds(node)) node = tree_[node].parent;
  return node;
}

}  // namespace whyfail::fixer
