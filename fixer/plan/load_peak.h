// What a call holds at most on each device while it loads, where that is more than what stays there.
#pragma once

#include "fixer/plan/simulate.h"

namespace whyfail::fixer {

// Sets the peaks of `outcome.devices`, whose weights are those that stay with `map`, and what does not fit because of
// them. `model`: in the dtype that the call loads it in. Only what is certain makes a call unfit: bounds that loading
// need not reach are told, not counted. `one_memory`: GPU and host share theirs.
void add_load_peaks(Outcome& outcome, const LoadCall& load, const Model& model, const LoadSettings& settings,
                    const DeviceMap& map, const Rules& rules, const Moved& moved, bool one_memory);

}  // namespace whyfail::fixer
