// Bytes of every module and tensor, as the allocator at hand counts them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fixer/placement/flat_tree.h"
#include "fixer/placement/rules.h"

namespace whyfail::fixer {

// How wide an element is. accelerate: dtype and special_dtypes of compute_module_sizes. transformers 5: the tensor's
// own element size unless the quantizer names another, and tied duplicates are left out.
struct Sizing {
  bool by_element = false;                                // transformers 5
  std::optional<DType> dtype;                             // accelerate: tensors are at most this wide
  std::unordered_map<std::string, DType> special_dtypes;  // accelerate: by full name
  std::unordered_map<std::string, double> element_bytes;  // transformers 5: by full name, or with "*" for numbers
  std::unordered_map<std::string, double> added_bytes;   // tensors that the quantizer adds beside a weight, by its name
  std::unordered_map<std::string, double> packed_bytes;  // of tensors that the quantizer has packed already
  std::unordered_set<std::string> left_out;              // transformers 5: keys of all_tied_weights_keys
};

struct Sizes {
  std::vector<double> bytes;  // by node; 0 for a tensor counted under another name
  // By node, 0 or 1; bytes, since bits are slow to set one by one.
  std::vector<std::uint8_t> counted;       // has an entry in the library's dictionary at all
  std::vector<std::uint8_t> by_parameter;  // the entry was made by a parameter (those come before buffers' entries)
  std::vector<std::uint8_t> fractional;    // a Python float, since some width was not whole
  std::vector<double> buffer_bytes;        // prefix sums: buffers of nodes [0, i)

  double of(NodeIndex index) const { return bytes[static_cast<std::size_t>(index)]; }
  bool has(NodeIndex index) const { return counted[static_cast<std::size_t>(index)]; }
  double buffers_below(const FlatTree& tree, NodeIndex index) const {
    return buffer_bytes[static_cast<std::size_t>(tree[index].end)] - buffer_bytes[static_cast<std::size_t>(index)];
  }
};

Sizes sizes_of(const FlatTree& tree, const Sizing& sizing, const Rules& rules);

// "model.layers.3.mlp.weight" → "model.layers.*.mlp.weight"
std::string with_starred_numbers(const std::string& full_name);

}  // namespace whyfail::fixer
