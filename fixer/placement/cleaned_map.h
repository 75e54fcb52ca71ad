// From placed modules to a device map with as few keys as possible.
#pragma once

#include <vector>

#include "fixer/placement/flat_tree.h"
#include "fixer/placement/place.h"

namespace whyfail::fixer {

struct PlacedNode {
  NodeIndex node;
  std::size_t device;  // index into the devices
};

// accelerate/utils/modeling.py clean_device_map: a module below which more than one key stands, all with one value,
// replaces them.
DeviceMap cleaned(const FlatTree& tree, const std::vector<PlacedNode>& placed, const std::vector<Device>& devices);

// One key for each placed node, in the order of placing.
DeviceMap as_placed(const FlatTree& tree, const std::vector<PlacedNode>& placed, const std::vector<Device>& devices);

}  // namespace whyfail::fixer
