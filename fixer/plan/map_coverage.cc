// Walks the tree in registration order beside the map.
#include "fixer/plan/map_coverage.h"

#include <algorithm>
#include <optional>

namespace whyfail::fixer {
namespace {

bool has_tensors(const Module& module) {
  if (!module.parameters.empty() || !module.buffers.empty()) return true;
  return std::any_of(module.children.begin(), module.children.end(), has_tensors);
}

struct Walk {
  const ModuleTree& tree;
  const DeviceMap& map;
  std::optional<Device> before;  // device of the last covered module
  std::vector<std::pair<std::string, std::optional<Device>>> missing;

  const Device* exact(const std::string& name) const {
    for (const auto& [key, device] : map) {
      if (key == name) return &device;
    }
    return nullptr;
  }
  bool holds_key(const std::string& name) const {
    return std::any_of(map.begin(), map.end(),
                       [&](const auto& entry) { return name.empty() || entry.first.rfind(name + ".", 0) == 0; });
  }
  void visit(const Module& module, const std::string& name) {
    if (const Device* device = exact(name)) {
      before = *device;
      return;
    }
    if (!has_tensors(module)) return;
    if (!holds_key(name)) {
      missing.emplace_back(name, before);
      return;
    }
    const std::string prefix = name.empty() ? "" : name + ".";
    for (const Tensor& tensor : module.parameters) {
      if (exact(prefix + tensor.name) == nullptr) missing.emplace_back(prefix + tensor.name, before);
    }
    for (const Module& child : module.children) visit(child, prefix + child.name);
  }
};

bool inside(const std::string& tensor, const std::string& module) {
  return tensor == module || tensor.rfind(module + ".", 0) == 0;
}

std::optional<Device> device_of(const DeviceMap& map, const std::string& tensor) {
  const std::pair<std::string, Device>* best = nullptr;
  for (const auto& entry : map) {
    if ((entry.first.empty() || inside(tensor, entry.first)) &&
        (best == nullptr || entry.first.size() > best->first.size())) {
      best = &entry;
    }
  }
  return best == nullptr ? std::nullopt : std::optional<Device>(best->second);
}

// A module whose weight is tied to a covered one belongs beside it.
std::optional<Device> beside_tied(const ModuleTree& tree, const DeviceMap& map, const std::string& module) {
  for (const auto& group : tree.ties) {
    if (std::none_of(group.begin(), group.end(), [&](const std::string& name) { return inside(name, module); }))
      continue;
    for (const std::string& name : group) {
      if (inside(name, module)) continue;
      if (auto device = device_of(map, name)) return device;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::pair<std::string, Device>> left_out(const ModuleTree& tree, const DeviceMap& map) {
  if (map.empty()) return {};
  Walk walk{tree, map, std::nullopt, {}};
  walk.visit(tree.root, "");
  std::vector<std::pair<std::string, Device>> out;
  for (const auto& [name, before] : walk.missing) {
    if (const auto tied = beside_tied(tree, map, name)) {
      out.emplace_back(name, *tied);
    } else {
      out.emplace_back(name, before.value_or(map.front().second));
    }
  }
  return out;
}

}  // namespace whyfail::fixer
