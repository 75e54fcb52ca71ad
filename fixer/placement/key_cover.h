// Which entry of a device_map every module and tensor of a tree falls under, found for the whole tree in one walk.
// KeyLookup answers the same for single names that need not be in a tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fixer/placement/device_value.h"
#include "fixer/placement/flat_tree.h"

namespace whyfail::fixer {

using EntryIndex = std::int32_t;  // place in the map
constexpr EntryIndex kNoEntry = -1;

struct KeyCover {
  std::vector<EntryIndex> exactly;    // by node: the entry whose key is the node's full name
  std::vector<EntryIndex> by_prefix;  // by node: the entry whose key is its longest dotted prefix, the key "" last
};

KeyCover key_cover(const FlatTree& tree, const ValueMap& map);

// transformers from 5.0 (integrations/accelerate.py expand_device_map) joins the keys into one regular expression,
// those with most dots and then the longest first, matched at the start without a boundary; "." stands for any
// character. "model.layers.1" takes "model.layers.10" as well.
struct PatternCover {
  std::vector<EntryIndex> entries;  // by node, for tensors only
  // What a key has matched in the name of the first such tensor of the checkpoint, and is itself no key: looking it up
  // in the map fails ("lm.head" matches "lm_head").
  std::optional<std::string> matched_no_key;
};

PatternCover pattern_cover(const FlatTree& tree, const ValueMap& map);

}  // namespace whyfail::fixer
