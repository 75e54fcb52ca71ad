// infer_auto_device_map: walks the modules in order and fills one device after the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fixer/placement/budgets.h"
#include "fixer/placement/flat_tree.h"
#include "fixer/placement/rules.h"
#include "fixer/placement/sizes.h"

namespace whyfail::fixer {

struct AllocationRequest {
  const FlatTree& tree;
  const Sizes& sizes;
  const BudgetTable& budgets;
  const std::vector<std::string>& no_split;
  const std::vector<std::vector<NodeIndex>>& tied_groups;
  bool clean_result = true;
  bool fallback_allocation = false;
  bool offload_buffers = false;
  // Names, relative to a no-split module, that the class lets out of the map; null: it declares none (the usual case).
  const std::vector<std::string>* left_out = nullptr;
};

struct Allocation {
  DeviceMap device_map;
  std::optional<double> buffer_warning;  // bytes of offloaded buffers that no GPU has room for, if it warns
  std::vector<PassedOver> passed_over;
  // What other orders of the tie groups give, the likeliest first; empty: every order gives this map.
  std::vector<OtherOrder> other_orders;
};

// accelerate/utils/modeling.py infer_auto_device_map; transformers/integrations/accelerate.py from 5.0. Where the
// library takes the tie groups out of a set and their order matters, the likeliest answer (tie_orders.cc).
OrError<Allocation> allocate(const AllocationRequest& request, const Rules& rules);

// The walk with the groups in the order given.
struct OrderedAllocation {
  OrError<Allocation> answer;
  std::vector<std::size_t> deciding_groups;  // ascending; groups whose order decided which module was taken apart
};
OrderedAllocation allocate_in_order(const AllocationRequest& request, const Rules& rules);

// By node: whether its class is one of `no_split`.
std::vector<bool> unsplit_nodes(const FlatTree& tree, const std::vector<std::string>& no_split);

}  // namespace whyfail::fixer
