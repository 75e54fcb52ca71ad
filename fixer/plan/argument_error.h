// What the library refuses whatever the model and the machine are.
#pragma once

#include <optional>

#include "fixer/placement/place.h"
#include "fixer/plan/load_call.h"

namespace whyfail::fixer {

// The error that device_map, and `max_memory` where it is given, raise with a model of one weight on a machine with
// room for everything. nullopt: none, or it depends on the model.
std::optional<LibraryError> argument_error(const LoadCall& load, const std::optional<Budgets>& max_memory,
                                           const Rules& rules);

// The first of the sizes that is none. Where no map is computed they are never read.
std::optional<LibraryError> budget_error(const Budgets& budgets, const Rules& rules);

}  // namespace whyfail::fixer
