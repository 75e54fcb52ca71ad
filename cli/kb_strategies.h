// Recipes of a data folder against the strategies that there are.
#pragma once

#include "kb/build/build.h"

namespace whyfail::cli {

// Adds a finding for every recipe whose strategy does not exist, with those that do.
void add_unknown_strategies(kb::BuildResult& result);

}  // namespace whyfail::cli
