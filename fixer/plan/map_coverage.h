// Which modules of a model a device map leaves out.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fixer/placement/place.h"

namespace whyfail::fixer {

// The shortest list of module names that, added to the map, covers every parameter and buffer; each with the device of
// what stands before it in the model (or of its tied partner).
std::vector<std::pair<std::string, Device>> left_out(const ModuleTree& tree, const DeviceMap& map);

}  // namespace whyfail::fixer
