// Walks the tree of an expression over the fields of a config; arithmetic is checked for overflow.
#include <algorithm>
#include <cmath>
#include <utility>

#include "fixer/model/expression_node.h"

namespace whyfail::fixer {
namespace {

using Node = Expression::Node;

std::optional<double> fraction_of(const ConfigValue& value) {
  if (const auto* fraction = std::get_if<double>(&value.is)) return *fraction;
  if (const auto* number = std::get_if<std::int64_t>(&value.is)) return static_cast<double>(*number);
  if (const auto* flag = std::get_if<bool>(&value.is)) return *flag ? 1.0 : 0.0;
  return std::nullopt;
}

bool fractional(const ConfigValue& value) { return std::holds_alternative<double>(value.is); }

// As Python: numbers compare by value whatever their type, everything else only with its own kind.
bool equal(const ConfigValue& left, const ConfigValue& right) {
  const auto a = fraction_of(left);
  const auto b = fraction_of(right);
  if (a && b) {
    const auto whole_a = whole_number(left);
    const auto whole_b = whole_number(right);
    return whole_a && whole_b ? *whole_a == *whole_b : *a == *b;
  }
  if (left.is.index() != right.is.index()) return false;
  if (const auto* text = std::get_if<std::string>(&left.is)) return *text == std::get<std::string>(right.is);
  return left.none();
}

class Evaluation {
 public:
  Evaluation(const Fields& fields, const Counters& counters) : fields_(fields), counters_(counters) {}

  std::optional<ConfigValue> value(const Node& node) {
    switch (node.kind) {
      case Node::Kind::constant:
        return node.constant;
      case Node::Kind::field:
        return field(node.name);
      case Node::Kind::element:
        return element(node);
      case Node::Kind::either:
      case Node::Kind::both: {
        auto left = value(*node.operands[0]);
        if (!left || left->truthy() == (node.kind == Node::Kind::either)) return left;
        return value(*node.operands[1]);
      }
      case Node::Kind::invert: {
        const auto operand = value(*node.operands[0]);
        return operand ? std::optional<ConfigValue>(ConfigValue{!operand->truthy()}) : std::nullopt;
      }
      case Node::Kind::negate: {
        const auto operand = value(*node.operands[0]);
        return operand ? arithmetic("-", ConfigValue{std::int64_t{0}}, *operand) : std::nullopt;
      }
      case Node::Kind::compare:
        return compare(node);
      case Node::Kind::arithmetic: {
        const auto left = value(*node.operands[0]);
        const auto right = left ? value(*node.operands[1]) : std::nullopt;
        return right ? arithmetic(node.name, *left, *right) : std::nullopt;
      }
      case Node::Kind::call:
        return call(node);
    }
    return std::nullopt;
  }
  std::string error = {};

 private:
  std::optional<ConfigValue> fail(std::string why) {
    if (error.empty()) error = std::move(why);
    return std::nullopt;
  }

  std::optional<ConfigValue> field(const std::string& name) {
    if (name == "i") return ConfigValue{counters_.i};
    if (name == "j") return ConfigValue{counters_.j};
    auto found = fields_.field(name);
    return found ? found : fail("field '" + name + "' is missing");
  }

  std::optional<ConfigValue> element(const Node& node) {
    const auto list = value(*node.operands[0]);
    const auto index = list ? value(*node.operands[1]) : std::nullopt;
    if (!index) return std::nullopt;
    const auto* items = std::get_if<std::shared_ptr<const ValueList>>(&list->is);
    const auto position = whole_number(*index);
    if (!items || !*items || !position) return fail("'" + node.operands[0]->name + "' is no list");
    if (*position < 0 || static_cast<std::size_t>(*position) >= (*items)->size()) {
      return fail("list '" + node.operands[0]->name + "' has " + std::to_string((*items)->size()) + " entries, entry " +
                  std::to_string(*position) + " is needed");
    }
    return (**items)[static_cast<std::size_t>(*position)];
  }

  std::optional<ConfigValue> compare(const Node& node) {
    const auto left = value(*node.operands[0]);
    if (!left) return std::nullopt;
    if (node.name == "is") return ConfigValue{left->none()};
    if (node.name == "is not") return ConfigValue{!left->none()};
    const auto right = value(*node.operands[1]);
    if (!right) return std::nullopt;
    if (node.name == "==") return ConfigValue{equal(*left, *right)};
    if (node.name == "!=") return ConfigValue{!equal(*left, *right)};
    if (node.name == "in") return contains(*left, *right);
    const auto a = fraction_of(*left);
    const auto b = fraction_of(*right);
    if (!a || !b) return fail("a comparison of something that is no number");
    if (node.name == "<") return ConfigValue{*a < *b};
    if (node.name == "<=") return ConfigValue{*a <= *b};
    if (node.name == ">") return ConfigValue{*a > *b};
    return ConfigValue{*a >= *b};
  }

  std::optional<ConfigValue> contains(const ConfigValue& item, const ConfigValue& container) {
    if (const auto* items = std::get_if<std::shared_ptr<const ValueList>>(&container.is)) {
      for (const ConfigValue& candidate : **items) {
        if (equal(candidate, item)) return ConfigValue{true};
      }
      return ConfigValue{false};
    }
    const auto* text = std::get_if<std::string>(&container.is);
    const auto* part = std::get_if<std::string>(&item.is);
    if (text && part) return ConfigValue{text->find(*part) != std::string::npos};
    if (container.none()) return ConfigValue{false};
    return fail("'in' needs a list or a text");
  }

  std::optional<ConfigValue> arithmetic(const std::string& symbol, const ConfigValue& left, const ConfigValue& right) {
    const auto a = fraction_of(left);
    const auto b = fraction_of(right);
    if (!a || !b) return fail("'" + symbol + "' needs two numbers");
    if (symbol == "/" || fractional(left) || fractional(right)) return fractions(symbol, *a, *b);
    const std::int64_t x = *whole_number(left);
    const std::int64_t y = *whole_number(right);
    std::int64_t result = 0;
    if (symbol == "+") {
      if (__builtin_add_overflow(x, y, &result)) return fail("a sum is too large");
    } else if (symbol == "-") {
      if (__builtin_sub_overflow(x, y, &result)) return fail("a difference is too large");
    } else if (symbol == "*") {
      if (__builtin_mul_overflow(x, y, &result)) return fail("a product is too large");
    } else {
      if (y == 0 || (y == -1 && x == INT64_MIN)) return fail("a division by zero");
      const bool rounds_up = x % y != 0 && (x < 0) != (y < 0);
      result = symbol == "//" ? x / y - (rounds_up ? 1 : 0) : x % y + (rounds_up ? y : 0);
    }
    return ConfigValue{result};
  }

  std::optional<ConfigValue> fractions(const std::string& symbol, double a, double b) {
    if (symbol == "+") return ConfigValue{a + b};
    if (symbol == "-") return ConfigValue{a - b};
    if (symbol == "*") return ConfigValue{a * b};
    if (b == 0) return fail("a division by zero");
    if (symbol == "/") return ConfigValue{a / b};
    const double quotient = std::floor(a / b);
    return ConfigValue{symbol == "//" ? quotient : a - quotient * b};
  }

  std::optional<ConfigValue> power(const ConfigValue& base, const ConfigValue& exponent) {
    const auto factor = whole_number(base);
    const auto count = whole_number(exponent);
    if (!factor || !count || *count < 0 || *count > 63) return fail("pow() needs whole numbers and at most 63 factors");
    std::int64_t result = 1;
    for (std::int64_t i = 0; i < *count; ++i) {
      if (__builtin_mul_overflow(result, *factor, &result)) return fail("a power is too large");
    }
    return ConfigValue{result};
  }

  std::optional<ConfigValue> call(const Node& node) {
    auto first = value(*node.operands[0]);
    if (!first) return std::nullopt;
    if (node.name == "len") {
      const auto* items = std::get_if<std::shared_ptr<const ValueList>>(&first->is);
      if (!items) return fail("len() of something that is no list");
      return ConfigValue{static_cast<std::int64_t>((*items)->size())};
    }
    const auto a = fraction_of(*first);
    if (!a) return fail(node.name + "() of something that is no number");
    if (node.name == "trunc") {
      if (!fractional(*first)) return first;
      if (!(std::abs(*a) < 9.0e15)) return fail("a number is too large");
      return ConfigValue{static_cast<std::int64_t>(*a)};
    }
    const auto second = value(*node.operands[1]);
    const auto b = second ? fraction_of(*second) : std::nullopt;
    if (!b) return second ? fail(node.name + "() of something that is no number") : std::nullopt;
    if (node.name == "pow") return power(*first, *second);
    return (node.name == "min") == (*b < *a) ? second : first;
  }

  const Fields& fields_;
  const Counters& counters_;
};

}  // namespace

std::variant<ConfigValue, ExpressionError> Expression::evaluate(const Fields& fields, const Counters& counters) const {
  Evaluation evaluation(fields, counters);
  auto value = evaluation.value(*root_);
  if (!value) return ExpressionError{evaluation.error};
  return std::move(*value);
}

}  // namespace whyfail::fixer
