// Steps outside of the script: a package to install, a line for the environment, a kernel to restart. The failure's
// entry names them; they are given only where they can help.
#pragma once

#include <string>
#include <vector>

#include "fixer/plan/fix.h"

namespace whyfail::fixer {

std::vector<Command> commands_for(const Situation& situation);

}  // namespace whyfail::fixer
