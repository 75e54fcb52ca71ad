// What the weights of each device need for a moment while they are loaded.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "fixer/placement/place.h"

namespace whyfail::fixer {

// Bytes, by device of the map.
struct LoadTransient {
  Device device;
  std::uint64_t largest_joined = 0;       // weight that is put together from several tensors
  std::uint64_t largest_unquantized = 0;  // weight that will be quantized, as it is before
  std::uint64_t all_unquantized = 0;      // all of those together
  std::uint64_t all_weights = 0;          // all that lie there, as they are before
};

std::vector<LoadTransient> load_transients(const ModuleTree& tree, const ClassFacts& facts, const DeviceMap& map,
                                           const LoadSettings& settings, const Rules& rules);

// Whether a weight is put together from several tensors of the checkpoint (transformers 5, conversion_mapping.py):
// experts, but those of gpt-oss, llama4 and granitemoe, which the checkpoint has in one piece.
bool is_joined(std::string_view name, const ClassFacts& facts);

}  // namespace whyfail::fixer
