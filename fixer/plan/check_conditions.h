// Whether a call runs whenever the script runs, and whether its failure ends the script.
#pragma once

#include "fixer/plan/check.h"

namespace whyfail::fixer {

// False under a condition that is not known to hold: if torch.cuda.is_available() holds on a machine with a GPU.
bool runs_for_certain(const Script& script, const Call& call, const probes::Machine& machine);

// The same for a call in a function, which must also be called for certain somewhere in this text.
bool is_reached_for_certain(const Script& script, const Call& call, const probes::Machine& machine);

// An except that does not raise again, or contextlib.suppress, stands around the call or around a call of the function
// in which it stands: the script has another way.
bool failure_is_caught(const Script& script, const Call& call);

}  // namespace whyfail::fixer
