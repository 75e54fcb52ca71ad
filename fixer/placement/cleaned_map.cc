// Counts keys below each module, then keeps the topmost modules that are uniform.
#include "fixer/placement/cleaned_map.h"

#include <algorithm>

namespace whyfail::fixer {

namespace {

struct Below {
  std::uint32_t keys = 0;
  bool mixed = false;
  std::size_t device = 0;
};

std::vector<Below> keys_below(const FlatTree& tree, const std::vector<PlacedNode>& placed) {
  std::vector<Below> below(tree.nodes().size());
  for (const PlacedNode& entry : placed) {
    for (NodeIndex at = tree[entry.node].parent; at != kNoNode; at = tree[at].parent) {
      Below& module = below[static_cast<std::size_t>(at)];
      if (module.keys > 0 && module.device != entry.device) module.mixed = true;
      module.device = entry.device;
      ++module.keys;
    }
  }
  return below;
}

}  // namespace

DeviceMap cleaned(const FlatTree& tree, const std::vector<PlacedNode>& placed, const std::vector<Device>& devices) {
  const std::vector<Below> below = keys_below(tree, placed);
  std::vector<bool> written(tree.nodes().size());
  DeviceMap map;
  for (const PlacedNode& entry : placed) {
    NodeIndex key = entry.node;
    for (NodeIndex at = tree[entry.node].parent; at != kNoNode; at = tree[at].parent) {
      const Below& module = below[static_cast<std::size_t>(at)];
      if (module.mixed) break;  // and so is everything above it
      if (module.keys > 1) key = at;
    }
    if (written[static_cast<std::size_t>(key)]) continue;
    written[static_cast<std::size_t>(key)] = true;
    map.emplace_back(tree.full_name(key), devices[entry.device]);
  }
  return map;
}

DeviceMap as_placed(const FlatTree& tree, const std::vector<PlacedNode>& placed, const std::vector<Device>& devices) {
  DeviceMap map;
  for (const PlacedNode& entry : placed) map.emplace_back(tree.full_name(entry.node), devices[entry.device]);
  return map;
}

}  // namespace whyfail::fixer
