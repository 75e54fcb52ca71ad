// The parsed form of an expression: a small tree.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fixer/model/expression.h"

namespace whyfail::fixer {

struct Expression::Node {
  enum class Kind { constant, field, element, negate, invert, both, either, compare, arithmetic, call } kind;
  ConfigValue constant;
  std::string name;  // field; operator of compare and arithmetic; function of call
  std::vector<std::shared_ptr<const Node>> operands;
};

}  // namespace whyfail::fixer
