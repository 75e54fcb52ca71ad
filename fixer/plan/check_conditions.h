// Whether a call is reached on a machine, as far as the blocks around it tell.
#pragma once

#include "fixer/call/python.h"
#include "probes/machine.h"

namespace whyfail::fixer {

// False if a condition that the text does not decide stands around the call. Functions count as called; the main guard
// and, where there is a GPU, torch.cuda.is_available() count as true.
bool runs_for_certain(const Script& script, const Call& call, const probes::Machine& machine);

}  // namespace whyfail::fixer
