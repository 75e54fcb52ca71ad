// Which of the accepted calls a reader is shown, and in which order.
#pragma once

#include <vector>

#include "fixer/plan/search.h"

namespace whyfail::fixer {

// A strategy that stands on sizes is no proven fix without them.
bool proven(const Candidate& candidate);

// Sorts `accepted` by preference and picks the best and at most three others, each of which costs something else or
// gains something over those before it. The pointers are into `accepted`. `planning`: no call failed; what leaves less
// outside the GPUs comes first.
std::vector<const Candidate*> offers(std::vector<Candidate>& accepted, Preference preference, bool planning);

}  // namespace whyfail::fixer
