// get_balanced_memory: budgets lowered so that the model spreads evenly over the GPUs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fixer/placement/budgets.h"
#include "fixer/placement/flat_tree.h"
#include "fixer/placement/rules.h"
#include "fixer/placement/sizes.h"

namespace whyfail::fixer {

struct BalanceRequest {
  const FlatTree& tree;
  const Sizes& sizes;
  const std::vector<std::string>& no_split;
  const std::optional<BudgetTable>& given;  // the user's, strings already turned into bytes
  const PlacementMachine& machine;
  bool low_zero = false;  // "balanced_low_0"
};

// accelerate/utils/modeling.py get_balanced_memory.
OrError<BudgetTable> accelerate_balanced(const BalanceRequest& request, const Rules& rules);

// transformers/integrations/accelerate.py get_balanced_memory, from 5.0.
OrError<BudgetTable> transformers_balanced(const BalanceRequest& request, const Rules& rules);

}  // namespace whyfail::fixer
