// Builds a tree from names, and compares a tree with a checkpoint.
#include "fixer/model/header_tree.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace whyfail::fixer {

namespace {

constexpr std::size_t deepest_name = 64;

bool is_floating(DType type) {
  switch (type) {
    case DType::float64:
    case DType::float32:
    case DType::float16:
    case DType::bfloat16:
      return true;
    default:
      return false;
  }
}

// A tensor without dimensions is one row.
std::uint64_t rows_of(const StoredTensor& stored) { return stored.shape.empty() ? 1 : stored.shape.front(); }

std::optional<std::uint64_t> number_of(std::string_view name) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (problem != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

void sort_numbered(Module& module) {
  const bool numbered = std::all_of(module.children.begin(), module.children.end(),
                                    [](const Module& child) { return number_of(child.name).has_value(); });
  if (numbered) {
    std::sort(module.children.begin(), module.children.end(),
              [](const Module& a, const Module& b) { return *number_of(a.name) < *number_of(b.name); });
  }
  for (Module& child : module.children) sort_numbered(child);
}

std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> parts;
  while (parts.size() < deepest_name) {
    const std::size_t dot = name.find('.');
    parts.push_back(name.substr(0, dot));
    if (dot == std::string_view::npos) break;
    name.remove_prefix(dot + 1);
  }
  return parts;
}

// Children by path while the tree grows: a linear search among thousands of siblings would be quadratic.
struct Growth {
  Module module;
  std::vector<std::unique_ptr<Growth>> children = {};
  std::unordered_map<std::string, std::size_t> by_name = {};

  Growth& child(std::string_view name) {
    const auto [at, fresh] = by_name.emplace(std::string(name), children.size());
    if (fresh) {
      children.push_back(std::make_unique<Growth>());
      children.back()->module.name = name;
    }
    return *children[at->second];
  }
  Module take() {
    for (auto& child : children) module.children.push_back(child->take());
    return std::move(module);
  }
};

}  // namespace

Module tree_from_names(const std::vector<StoredTensor>& tensors, DType dtype) {
  Growth root;
  for (const StoredTensor& stored : tensors) {
    const auto parts = parts_of(stored.name);
    Growth* at = &root;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) at = &at->child(parts[i]);
    Tensor tensor;
    tensor.name = parts.back();
    tensor.elements = stored.elements;
    tensor.rows = rows_of(stored);
    tensor.dtype = stored.dtype_known && !is_floating(stored.dtype) ? stored.dtype : dtype;
    at->module.parameters.push_back(std::move(tensor));
  }
  Module tree = root.take();
  sort_numbered(tree);
  return tree;
}

namespace {

class Comparison {
 public:
  Comparison(const std::vector<StoredTensor>& tensors, const ModuleTree& tree, const KnownClass& known)
      : known_(known) {
    for (const StoredTensor& tensor : tensors) stored_.emplace(tensor.name, &tensor);
    for (const auto& group : tree.ties) tied_.insert(group.begin(), group.end());
  }

  void module(Module& module, const std::string& path) {
    const std::string prefix = path.empty() ? "" : path + ".";
    for (Tensor& tensor : module.parameters) compare(tensor, prefix + tensor.name, true);
    for (Tensor& tensor : module.buffers) {
      if (tensor.persistent) compare(tensor, prefix + tensor.name, false);
    }
    for (Module& child : module.children) this->module(child, prefix + child.name);
  }

  Agreement finish() {
    for (const auto& [name, tensor] : stored_) {
      if (seen_.contains(tensor) || renamed(name, true)) continue;
      ++agreement_.unexpected;
    }
    return std::move(agreement_);
  }

 private:
  const StoredTensor* find(const std::string& name) const {
    auto found = stored_.find(name);
    if (found == stored_.end() && !known_.base_prefix.empty()) {
      const std::string prefix = known_.base_prefix + ".";
      found = stored_.find(name.starts_with(prefix) ? name.substr(prefix.size()) : prefix + name);
    }
    return found == stored_.end() ? nullptr : found->second;
  }

  // Whether a conversion of the release touches the name. The patterns are compared by their longest plain part.
  bool renamed(std::string_view name, bool in_checkpoint) const {
    for (const NameConversion& conversion : known_.conversions) {
      for (const std::string& pattern : in_checkpoint ? conversion.from : conversion.to) {
        const std::string plain = longest_plain_part(pattern);
        if (plain.size() > 2 && name.find(plain) != std::string_view::npos) return true;
      }
    }
    return false;
  }
  static std::string longest_plain_part(std::string_view pattern) {
    std::string best;
    std::string part;
    for (const char c : pattern) {
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_') {
        part += c;
        if (part.size() > best.size()) best = part;
      } else {
        part.clear();
      }
    }
    return best;
  }

  void compare(Tensor& tensor, const std::string& name, bool needed) {
    const StoredTensor* stored = find(name);
    if (!stored) {
      if (!needed || tied_.contains(name) || renamed(name, false)) return;
      ++agreement_.missing;
      if (agreement_.example.empty()) agreement_.example = name;
      return;
    }
    seen_.insert(stored);
    ++agreement_.matched;
    if (stored->elements == tensor.elements) return;
    ++agreement_.different;
    agreement_.example = name;
    tensor.elements = stored->elements;
    tensor.rows = rows_of(*stored);
  }

  const KnownClass& known_;
  std::unordered_map<std::string_view, const StoredTensor*> stored_;
  std::unordered_set<std::string> tied_;
  std::unordered_set<const StoredTensor*> seen_;
  Agreement agreement_;
};

}  // namespace

Agreement reconcile(ModuleTree& tree, const std::vector<StoredTensor>& tensors, const KnownClass& known) {
  Comparison comparison(tensors, tree, known);
  comparison.module(tree.root, "");
  return comparison.finish();
}

namespace {

using ByModule = std::unordered_map<std::string_view, std::vector<const StoredTensor*>>;

ByModule by_module(const std::vector<StoredTensor>& tensors) {
  ByModule modules;
  for (const StoredTensor& tensor : tensors) {
    const std::size_t dot = tensor.name.rfind('.');
    modules[dot == std::string::npos ? std::string_view() : std::string_view(tensor.name).substr(0, dot)].push_back(
        &tensor);
  }
  return modules;
}

bool holds_as_stored(const Module& module, const std::vector<const StoredTensor*>& stored) {
  return std::all_of(stored.begin(), stored.end(), [&](const StoredTensor* each) {
    const std::string_view name = std::string_view(each->name).substr(each->name.rfind('.') + 1);
    const auto same = [&](const Tensor& tensor) { return tensor.name == name && tensor.elements == each->elements; };
    return (is_floating(each->dtype) || !each->dtype_known) &&
           (std::any_of(module.parameters.begin(), module.parameters.end(), same) ||
            std::any_of(module.buffers.begin(), module.buffers.end(), same));
  });
}

std::size_t take_packed(Module& module, const std::string& path, const ByModule& stored, const std::string& base) {
  auto found = stored.find(path);
  if (found == stored.end() && !base.empty()) {
    const std::string prefix = base + ".";
    const std::string other = path.starts_with(prefix) ? path.substr(prefix.size()) : prefix + path;
    found = stored.find(other);
  }
  std::size_t taken = 0;
  if (found != stored.end() && module.children.empty() && !holds_as_stored(module, found->second)) {
    module.parameters.clear();
    module.buffers.clear();
    for (const StoredTensor* each : found->second) {
      const std::string name = each->name.substr(each->name.rfind('.') + 1);
      module.parameters.push_back({name, each->elements, each->dtype, true, rows_of(*each)});
    }
    ++taken;
  }
  const std::string prefix = path.empty() ? "" : path + ".";
  for (Module& child : module.children) taken += take_packed(child, prefix + child.name, stored, base);
  return taken;
}

}  // namespace

std::size_t take_packed(ModuleTree& tree, const std::vector<StoredTensor>& tensors, const KnownClass& known) {
  return take_packed(tree.root, "", by_module(tensors), known.base_prefix);
}

}  // namespace whyfail::fixer
