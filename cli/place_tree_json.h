// A module tree from its JSON form: {"c": class, "p": [[name, shape, dtype]], "b": [[name, shape, dtype, persistent]],
// "k": [[name or [first, count], node]]}, where [first, count] stands for equal children named by number.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>

#include "fixer/placement/module_tree.h"

namespace whyfail::cli {

// The tree, or what is wrong with it. Bounded: refuses more than a million modules and tensors, or 64 levels.
std::variant<fixer::ModuleTree, std::string> tree_from_json(const nlohmann::json& node);

}  // namespace whyfail::cli
