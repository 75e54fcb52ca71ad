// Loading and dispatching a model under a finished map of cpu and disk: what fails, and which weights stay without
// data.
#pragma once

#include <string>
#include <vector>

#include "fixer/placement/budgets.h"
#include "fixer/placement/device_value.h"
#include "fixer/placement/rules.h"
#include "fixer/placement/strategy_map.h"

namespace whyfail::fixer {

struct LoadRequest {
  const FlatTree& tree;
  const TieNames& ties;  // the first name of a group is the one it is loaded under
  const ClassFacts& facts;
  const ValueMap& map;
  const LoadSettings& settings;
  const PlacementMachine& machine;
  bool weights_readable = true;  // every value is cpu or disk: loading can be followed to its end
};

// 4.x: every name of every tie group must fall under some key.
std::optional<LibraryError> uncovered_tie(const TieNames& ties, const ValueMap& map, const Rules& rules);

// Files that are read with torch.load while torch is too old for that.
std::optional<LibraryError> pickle_refusal(const LoadSettings& settings, const Rules& rules);

// Full names of the parameters that are on the meta device afterwards, or the error on the way. Maps with other devices
// than cpu and disk are followed as far as that is possible without the weights; the names are then empty.
OrError<std::vector<std::string>> loaded_under(const LoadRequest& request, const Rules& rules);

}  // namespace whyfail::fixer
