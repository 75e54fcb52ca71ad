// Steps outside of the script: a package to install, a line for the environment, a kernel to restart. The failure's
// entry names them; they are given only where they can help.
#pragma once

#include <string>
#include <vector>

#include "fixer/plan/fix.h"
#include "fixer/plan/search.h"

namespace whyfail::fixer {

std::vector<Command> commands_for(const Situation& situation);

// The torch that transformers wants before it opens .bin files, where the weights are such files and the machine's
// torch is known to be older: whatever else is mended, the load then ends there (transformers 4.52.1, utils/
// import_utils.py, check_torch_load_is_safe). Nothing: they can be read, or the torch is not known.
std::optional<Command> newer_torch(const Situation& situation, const Model& model,
                                   const std::vector<ReleasePair>& releases);

}  // namespace whyfail::fixer
