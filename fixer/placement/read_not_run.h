// Rules behind an answer that were read in the libraries' sources and never seen at work: a reader should know.
#pragma once

#include <string>
#include <vector>

#include "fixer/placement/place.h"

namespace whyfail::fixer {

// One line for each such rule that the answer rests on; empty: every rule was compared with the running library.
std::vector<std::string> rules_read_not_run(const LoadSettings& settings, bool max_memory_given,
                                            const PlacementMachine& machine, const Rules& rules);

}  // namespace whyfail::fixer
