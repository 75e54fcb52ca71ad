// Counts what a module tree holds.
#include <unordered_set>

#include "fixer/model/size_template.h"

namespace whyfail::fixer {

namespace {
// Bytes of tensors in memory: torch stores a bool in one byte, whatever accelerate counts.
std::uint64_t tensor_bytes(const Tensor& tensor) {
  if (tensor.dtype == DType::boolean) return tensor.elements;
  return static_cast<std::uint64_t>(static_cast<double>(tensor.elements) * accelerate_width(tensor.dtype));
}

void add_module(const Module& module, const std::string& path, const std::unordered_set<std::string>& repeated,
                TreeTotals& totals) {
  const std::string prefix = path.empty() ? "" : path + ".";
  for (const Tensor& tensor : module.parameters) {
    if (!repeated.empty() && repeated.contains(prefix + tensor.name)) continue;
    totals.parameters += tensor.elements;
    totals.bytes += tensor_bytes(tensor);
  }
  for (const Tensor& tensor : module.buffers) {
    totals.bytes += tensor_bytes(tensor);
  }
  for (const Module& child : module.children) add_module(child, prefix + child.name, repeated, totals);
}
}  // namespace

TreeTotals totals_of(const ModuleTree& tree) {
  std::unordered_set<std::string> repeated;
  for (const auto& group : tree.ties) repeated.insert(group.begin() + (group.empty() ? 0 : 1), group.end());
  TreeTotals totals;
  add_module(tree.root, "", repeated, totals);
  return totals;
}

}  // namespace whyfail::fixer
