// What a call of generate() can leave out of the GPU when it, and not the loading, ran out of memory.
#pragma once

#include <vector>

#include "fixer/plan/fix.h"

namespace whyfail::fixer {

// Changes of the failing call, not simulated: nobody knows its inputs. Empty: the failing call is no generate(), or no
// release in question has the option.
std::vector<Change> generation_changes(const Situation& situation);

}  // namespace whyfail::fixer
