// What from_pretrained(device_map="auto" | "balanced" | "balanced_low_0" | "sequential") makes of a model: budgets,
// then the map.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fixer/placement/allocate.h"
#include "fixer/placement/budgets.h"
#include "fixer/placement/rules.h"
#include "fixer/placement/sizes.h"

namespace whyfail::fixer {

using TieNames = std::vector<std::vector<std::string>>;  // groups of full names

struct StrategyRequest {
  const FlatTree& tree;  // tied as its tensors are when modules are placed
  std::string strategy;
  bool tied_otherwise_when_balancing = false;  // when sizes are taken for balancing, these groups are tied instead
  TieNames tied_when_balancing;
  TieNames declared_ties;  // transformers 5: all_tied_weights_keys
  std::vector<std::string> no_split;
  Sizing sizing;
  bool quantizer_reserves_room = false;  // its adjust_max_memory takes 0.90 of every budget
  const std::optional<Budgets>& max_memory;
  const PlacementMachine& machine;
  const std::vector<std::string>* left_out = nullptr;  // as in AllocationRequest
};

struct StrategyMap {
  std::optional<BudgetTable> budgets;  // what the allocator was given; none: it measured for itself
  Allocation allocation;
};

// transformers/modeling_utils.py from_pretrained (to 4.50), _get_device_map (4.51 to 4.57);
// transformers/integrations/accelerate.py _get_device_map (5).
OrError<StrategyMap> map_by_strategy(const StrategyRequest& request, const Rules& rules);

}  // namespace whyfail::fixer
