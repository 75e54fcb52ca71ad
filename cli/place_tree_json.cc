// Expands repeated children and checks what torch would not allow: empty, dotted and repeated names.
#include "cli/place_tree_json.h"

#include <nlohmann/json.hpp>
#include <unordered_set>

namespace whyfail::cli {

namespace {

using nlohmann::json;

constexpr std::size_t kMostNodes = 1'000'000;
constexpr int kDeepest = 64;
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 52;

class TreeReader {
 public:
  bool read(const json& node, fixer::Module& module, int depth) {
    if (depth > kDeepest) return fail("a module tree deeper than 64 levels");
    if (!node.is_object()) return fail("a module that is no object");
    if (!count_one()) return false;
    const auto class_name = node.find("c");
    if (class_name != node.end()) {
      if (!class_name->is_string()) return fail("a class name that is no string");
      module.class_name = class_name->get<std::string>();
    }
    std::unordered_set<std::string> names;
    return tensors(node, "p", module.parameters, names) && tensors(node, "b", module.buffers, names) &&
           children(node, module, names, depth);
  }

  const std::string& problem() const { return problem_; }

 private:
  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool count_one() {
    return ++nodes_ <= kMostNodes || fail("a module tree of more than a million modules and tensors");
  }

  bool take_name(const std::string& name, std::unordered_set<std::string>& names) {
    if (name.empty() || name.find('.') != std::string::npos) return fail("a name in the tree that torch refuses");
    return names.insert(name).second || fail("a name that stands twice in a module");
  }

  bool tensors(const json& node, const char* key, std::vector<fixer::Tensor>& list,
               std::unordered_set<std::string>& names) {
    const auto rows = node.find(key);
    if (rows == node.end()) return true;
    if (!rows->is_array()) return fail("tensors that are no list");
    for (const json& row : *rows) {
      if (!row.is_array() || row.size() < 3 || !row[0].is_string() || !row[1].is_array() || !row[2].is_string()) {
        return fail("a tensor that is not [name, shape, dtype]");
      }
      fixer::Tensor tensor;
      tensor.name = row[0].get<std::string>();
      if (!count_one() || !take_name(tensor.name, names)) return false;
      if (!elements(row[1], tensor.elements)) return false;
      if (!row[1].empty()) tensor.rows = row[1].front().get<std::uint64_t>();
      if (!fixer::parse_dtype(row[2].get_ref<const std::string&>(), tensor.dtype)) {
        return fail("a dtype that is not known");
      }
      if (row.size() > 3) tensor.persistent = row[3].is_boolean() ? row[3].get<bool>() : row[3] != 0;
      list.push_back(std::move(tensor));
    }
    return true;
  }

  bool elements(const json& shape, std::uint64_t& count) {
    count = 1;
    for (const json& size : shape) {
      if (!size.is_number_unsigned() && !(size.is_number_integer() && size.get<std::int64_t>() >= 0)) {
        return fail("a shape that is not a list of sizes");
      }
      const std::uint64_t factor = size.get<std::uint64_t>();
      if (factor != 0 && count > kMostElements / factor) return fail("a tensor of more than 2^52 elements");
      count *= factor;
    }
    return true;
  }

  bool children(const json& node, fixer::Module& module, std::unordered_set<std::string>& names, int depth) {
    const auto rows = node.find("k");
    if (rows == node.end()) return true;
    if (!rows->is_array()) return fail("child modules that are no list");
    for (const json& row : *rows) {
      if (!row.is_array() || row.size() != 2) return fail("a child that is not [name, module]");
      if (row[0].is_string()) {
        if (!one_child(row[0].get<std::string>(), row[1], module, names, depth)) return false;
      } else if (!repeated_children(row[0], row[1], module, names, depth)) {
        return false;
      }
    }
    return true;
  }

  bool one_child(const std::string& name, const json& node, fixer::Module& module,
                 std::unordered_set<std::string>& names, int depth) {
    if (!take_name(name, names)) return false;
    fixer::Module& child = module.children.emplace_back();
    child.name = name;
    return read(node, child, depth + 1);
  }

  bool repeated_children(const json& range, const json& node, fixer::Module& module,
                         std::unordered_set<std::string>& names, int depth) {
    if (!range.is_array() || range.size() != 2 || !range[0].is_number_unsigned() || !range[1].is_number_unsigned()) {
      return fail("a child name that is neither a string nor [first, count]");
    }
    const std::uint64_t first = range[0].get<std::uint64_t>();
    const std::uint64_t count = range[1].get<std::uint64_t>();
    if (count > kMostNodes || first > kMostNodes) return fail("more than a million equal children");
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!one_child(std::to_string(first + i), node, module, names, depth)) return false;
    }
    return true;
  }

  std::size_t nodes_ = 0;
  std::string problem_;
};

}  // namespace

std::variant<fixer::ModuleTree, std::string> tree_from_json(const nlohmann::json& node) {
  fixer::ModuleTree tree;
  TreeReader reader;
  if (!reader.read(node, tree.root, 0)) return reader.problem();
  return tree;
}

}  // namespace whyfail::cli
