// A whole from_pretrained call, up to what is left without data after loading.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fixer/placement/budgets.h"
#include "fixer/placement/map_argument.h"
#include "fixer/placement/rules.h"
#include "fixer/placement/sizes.h"

namespace whyfail::fixer {

struct PlacedCallRequest {
  const ModuleTree& tree;
  const ClassFacts& facts;
  const MapArgument& argument;
  const std::optional<Budgets>& max_memory;
  const PlacementMachine& machine;
  const LoadSettings& settings;
  bool follow_gpu_maps = true;  // apply the checks of loading to maps with other devices than cpu and disk too
};

struct PlacedCall {
  MapChoice choice;                      // none, unchecked, or the map
  std::optional<BudgetTable> budgets;    // of a strategy
  std::vector<PassedOver> passed_over;   // by a strategy
  std::vector<OtherOrder> other_orders;  // of a strategy's map
  bool followed = false;                 // loading could be followed to its end
  std::vector<std::string> on_meta;      // weights without data afterwards; only for maps of cpu and disk
};

OrError<PlacedCall> placed_call(const PlacedCallRequest& request, const Rules& rules);

}  // namespace whyfail::fixer
