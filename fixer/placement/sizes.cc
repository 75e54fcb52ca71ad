// compute_module_sizes: accelerate/utils/modeling.py and transformers/integrations/accelerate.py.
#include "fixer/placement/sizes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace whyfail::fixer {

namespace {

bool is_integer(DType type) {
  switch (type) {
    case DType::int8:
    case DType::uint8:
    case DType::int16:
    case DType::uint16:
    case DType::int32:
    case DType::int64:
    case DType::boolean:
      return true;
    default:
      return false;
  }
}

constexpr std::size_t kDTypes = static_cast<std::size_t>(DType::fp8) + 1;

// Width of one tensor; looks a name up only if some name has a width of its own.
class Widths {
 public:
  Widths(const FlatTree& tree, const Sizing& sizing, const Rules& rules)
      : tree_(tree),
        sizing_(sizing),
        rules_(rules),
        needs_name_(sizing.by_element ? !sizing.element_bytes.empty() || !sizing.left_out.empty()
                                      : !sizing.special_dtypes.empty()) {
    for (std::size_t i = 0; i < kDTypes; ++i) by_dtype_[i] = width_of(static_cast<DType>(i));
  }

  // Bytes that the tensor brings along.
  double beside(NodeIndex index) const {
    if (sizing_.added_bytes.empty()) return 0;
    const auto named = sizing_.added_bytes.find(tree_.full_name(index));
    return named == sizing_.added_bytes.end() ? 0 : named->second;
  }

  std::optional<double> packed(NodeIndex index) const {
    if (sizing_.packed_bytes.empty()) return std::nullopt;
    const auto named = sizing_.packed_bytes.find(tree_.full_name(index));
    return named == sizing_.packed_bytes.end() ? std::nullopt : std::optional(named->second);
  }

  // Nothing: the tensor is left out.
  std::optional<double> of(NodeIndex index) const {
    const DType own = tree_[tree_[index].data].dtype;
    const double width = by_dtype_[static_cast<std::size_t>(own)];
    if (!needs_name_) return width;
    const std::string name = tree_.full_name(index);
    return sizing_.by_element ? named_element_width(name, width) : named_accelerate_width(name, width);
  }

 private:
  // Of a tensor whose name has no width of its own.
  double width_of(DType own) const {
    if (sizing_.by_element) return own == DType::boolean ? 1.0 : accelerate_width(own);
    if (!sizing_.dtype || (rules_.integers_keep_width && is_integer(own))) return accelerate_width(own);
    return std::min(accelerate_width(*sizing_.dtype), accelerate_width(own));
  }

  std::optional<double> named_element_width(const std::string& name, double otherwise) const {
    if (sizing_.left_out.contains(name)) return std::nullopt;
    if (sizing_.element_bytes.empty()) return otherwise;
    auto named = sizing_.element_bytes.find(name);
    if (named == sizing_.element_bytes.end()) named = sizing_.element_bytes.find(with_starred_numbers(name));
    return named == sizing_.element_bytes.end() ? otherwise : named->second;
  }

  double named_accelerate_width(const std::string& name, double otherwise) const {
    const auto named = sizing_.special_dtypes.find(name);
    return named == sizing_.special_dtypes.end() ? otherwise : accelerate_width(named->second);
  }

  const FlatTree& tree_;
  const Sizing& sizing_;
  const Rules& rules_;
  bool needs_name_;
  std::array<double, kDTypes> by_dtype_{};
};

}  // namespace

std::string with_starred_numbers(const std::string& full_name) {
  std::string starred;
  std::size_t at = 0;
  while (true) {
    const std::size_t dot = full_name.find('.', at);
    const bool middle = at > 0 && dot != std::string::npos && dot > at;
    const bool number = middle && std::all_of(full_name.begin() + static_cast<std::ptrdiff_t>(at),
                                              full_name.begin() + static_cast<std::ptrdiff_t>(dot),
                                              [](char c) { return c >= '0' && c <= '9'; });
    if (dot == std::string::npos) return starred + full_name.substr(at);
    starred += number ? "*." : full_name.substr(at, dot - at + 1);
    at = dot + 1;
  }
}

Sizes sizes_of(const FlatTree& tree, const Sizing& sizing, const Rules& rules) {
  const std::size_t count = tree.nodes().size();
  const std::vector<std::uint8_t> none(count);
  Sizes sizes{std::vector<double>(count, 0), none, none, none, std::vector<double>(count + 1, 0)};
  const Widths widths(tree, sizing, rules);
  for (std::size_t i = 0; i < count; ++i) {
    const NodeIndex index = static_cast<NodeIndex>(i);
    const Node& node = tree[index];
    sizes.buffer_bytes[i + 1] = sizes.buffer_bytes[i];
    if (node.kind == NodeKind::module || node.same_tensor_as != index) continue;
    const std::optional<double> width = widths.of(index);
    if (!width) continue;
    const std::optional<double> packed = widths.packed(index);
    sizes.bytes[i] = packed ? *packed : tree[node.data].elements * *width + widths.beside(index);
    sizes.counted[i] = true;
    sizes.by_parameter[i] = node.kind == NodeKind::parameter;
    sizes.fractional[i] = !packed && *width != std::floor(*width);
    if (node.kind == NodeKind::buffer) sizes.buffer_bytes[i + 1] += sizes.bytes[i];
  }
  // Children have higher numbers than their parents: one pass backwards sums everything.
  for (std::size_t i = count; i-- > 1;) {
    if (!sizes.counted[i]) continue;
    const std::size_t parent = static_cast<std::size_t>(tree[static_cast<NodeIndex>(i)].parent);
    sizes.bytes[parent] += sizes.bytes[i];
    sizes.counted[parent] = true;
    if (sizes.by_parameter[i]) sizes.by_parameter[parent] = true;
    if (sizes.fractional[i]) sizes.fractional[parent] = true;
  }
  return sizes;
}

}  // namespace whyfail::fixer
