// Parses by recursive descent into a small tree, and walks it. Both are bounded in depth.
#include "fixer/model/expression.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace whyfail::fixer {

namespace {
constexpr std::size_t longest_expression = 2000;
constexpr int deepest_expression = 60;
}  // namespace

struct Expression::Node {
  enum class Kind { constant, field, element, negate, invert, both, either, compare, arithmetic, call } kind;
  ConfigValue constant;
  std::string name;  // field; operator of compare and arithmetic; function of call
  std::vector<std::shared_ptr<const Node>> operands;
};

bool ConfigValue::truthy() const {
  if (const auto* flag = std::get_if<bool>(&is)) return *flag;
  if (const auto* number = std::get_if<std::int64_t>(&is)) return *number != 0;
  if (const auto* fraction = std::get_if<double>(&is)) return *fraction != 0;
  if (const auto* text = std::get_if<std::string>(&is)) return !text->empty();
  if (const auto* list = std::get_if<std::shared_ptr<const ValueList>>(&is)) return *list && !(*list)->empty();
  return false;
}

std::optional<std::int64_t> whole_number(const ConfigValue& value) {
  if (const auto* flag = std::get_if<bool>(&value.is)) return *flag ? 1 : 0;
  if (const auto* number = std::get_if<std::int64_t>(&value.is)) return *number;
  if (const auto* fraction = std::get_if<double>(&value.is)) {
    if (std::abs(*fraction) < 9.0e15 && std::trunc(*fraction) == *fraction) return static_cast<std::int64_t>(*fraction);
  }
  return std::nullopt;
}

namespace {

using Node = Expression::Node;
using NodePointer = std::shared_ptr<const Node>;

NodePointer make_node(Node::Kind kind, std::string name, std::vector<NodePointer> operands) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->name = std::move(name);
  node->operands = std::move(operands);
  return node;
}

NodePointer make_constant(ConfigValue value) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::constant;
  node->constant = std::move(value);
  return node;
}

bool name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  NodePointer parse_whole() {
    NodePointer node = parse_or();
    skip_blanks();
    if (node && at_ != text_.size()) return fail("something unreadable follows");
    return node;
  }
  const std::string& error() const { return error_; }

 private:
  struct Depth {
    explicit Depth(int& depth) : depth_(depth) { ++depth_; }
    ~Depth() { --depth_; }
    int& depth_;
  };

  NodePointer fail(std::string why) {
    if (error_.empty()) error_ = std::move(why) + " in '" + std::string(text_) + "'";
    return nullptr;
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view symbol) {
    skip_blanks();
    if (text_.substr(at_, symbol.size()) != symbol) return false;
    at_ += symbol.size();
    return true;
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    if (text_.substr(at_, word.size()) != word) return false;
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && (name_start(text_[end]) || digit(text_[end]))) return false;
    at_ = end;
    return true;
  }

  NodePointer parse_or() {
    const Depth guard(depth_);
    if (depth_ > deepest_expression) return fail("too deep");
    NodePointer left = parse_and();
    while (left && take_word("or")) {
      NodePointer right = parse_and();
      if (!right) return nullptr;
      left = make_node(Node::Kind::either, "or", {left, right});
    }
    return left;
  }
  NodePointer parse_and() {
    NodePointer left = parse_not();
    while (left && take_word("and")) {
      NodePointer right = parse_not();
      if (!right) return nullptr;
      left = make_node(Node::Kind::both, "and", {left, right});
    }
    return left;
  }
  NodePointer parse_not() {
    const Depth guard(depth_);
    if (depth_ > deepest_expression) return fail("too deep");
    if (!take_word("not")) return parse_comparison();
    NodePointer operand = parse_not();
    return operand ? make_node(Node::Kind::invert, "not", {operand}) : nullptr;
  }
  NodePointer parse_comparison() {
    NodePointer left = parse_sum();
    if (!left) return nullptr;
    if (take_word("is")) {
      const bool inverted = take_word("not");
      if (!take_word("None")) return fail("'is' without None");
      return make_node(Node::Kind::compare, inverted ? "is not" : "is", {left});
    }
    std::string symbol;
    for (const std::string_view candidate : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (symbol.empty() && take(candidate)) symbol = candidate;
    }
    if (symbol.empty() && take_word("in")) symbol = "in";
    if (symbol.empty()) return left;
    NodePointer right = parse_sum();
    return right ? make_node(Node::Kind::compare, symbol, {left, right}) : nullptr;
  }
  NodePointer parse_sum() {
    NodePointer left = parse_product();
    while (left) {
      const char* symbol = take("+") ? "+" : take("-") ? "-" : nullptr;
      if (!symbol) break;
      NodePointer right = parse_product();
      if (!right) return nullptr;
      left = make_node(Node::Kind::arithmetic, symbol, {left, right});
    }
    return left;
  }
  NodePointer parse_product() {
    NodePointer left = parse_unary();
    while (left) {
      const char* symbol = take("*") ? "*" : take("//") ? "//" : take("/") ? "/" : take("%") ? "%" : nullptr;
      if (!symbol) break;
      NodePointer right = parse_unary();
      if (!right) return nullptr;
      left = make_node(Node::Kind::arithmetic, symbol, {left, right});
    }
    return left;
  }
  NodePointer parse_unary() {
    const Depth guard(depth_);
    if (depth_ > deepest_expression) return fail("too deep");
    if (!take("-")) return parse_primary();
    NodePointer operand = parse_unary();
    return operand ? make_node(Node::Kind::negate, "-", {operand}) : nullptr;
  }
  NodePointer parse_primary() {
    skip_blanks();
    if (at_ == text_.size()) return fail("an operand is missing");
    const char c = text_[at_];
    if (take("(")) {
      NodePointer inner = parse_or();
      if (inner && !take(")")) return fail("a bracket is not closed");
      return inner;
    }
    if (digit(c)) return parse_number();
    if (c == '\'') return parse_text();
    if (name_start(c)) return parse_name();
    return fail("unreadable character");
  }
  NodePointer parse_number() {
    const char* const begin = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    std::int64_t whole = 0;
    const auto [after, problem] = std::from_chars(begin, end, whole);
    if (problem != std::errc()) return fail("a number is too large");
    if (after < end && *after == '.') {
      double fraction = 0;
      const auto [after_fraction, fraction_problem] = std::from_chars(begin, end, fraction, std::chars_format::fixed);
      if (fraction_problem != std::errc()) return fail("an unreadable number");
      at_ = static_cast<std::size_t>(after_fraction - text_.data());
      return make_constant(ConfigValue{fraction});
    }
    at_ = static_cast<std::size_t>(after - text_.data());
    return make_constant(ConfigValue{whole});
  }
  NodePointer parse_text() {
    const std::size_t end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) return fail("a text is not closed");
    std::string content(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return make_constant(ConfigValue{std::move(content)});
  }
  NodePointer parse_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (name_start(text_[at_]) || digit(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    if (name == "true" || name == "True") return make_constant(ConfigValue{true});
    if (name == "false" || name == "False") return make_constant(ConfigValue{false});
    if (name == "None") return make_constant(ConfigValue{});
    if (take("(")) return parse_call(name);
    NodePointer node = make_node(Node::Kind::field, name, {});
    if (!take("[")) return node;
    NodePointer index = parse_or();
    if (!index) return nullptr;
    if (!take("]")) return fail("an index is not closed");
    return make_node(Node::Kind::element, "[]", {node, index});
  }
  NodePointer parse_call(const std::string& name) {
    const bool one = name == "trunc" || name == "len";
    if (!one && name != "min" && name != "max") return fail("unknown function " + name);
    std::vector<NodePointer> operands;
    do {
      operands.push_back(parse_or());
      if (!operands.back()) return nullptr;
    } while (take(","));
    if (!take(")")) return fail("a call is not closed");
    if (operands.size() != (one ? 1U : 2U)) return fail("wrong number of operands for " + name);
    return make_node(Node::Kind::call, name, std::move(operands));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
};

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

  std::optional<ConfigValue> call(const Node& node) {
    const auto first = value(*node.operands[0]);
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
    return (node.name == "min") == (*b < *a) ? second : first;
  }

  const Fields& fields_;
  const Counters& counters_;
};

}  // namespace

std::variant<Expression, ExpressionError> Expression::parse(std::string_view text) {
  if (text.size() > longest_expression) return ExpressionError{"an expression is too long"};
  Parser parser(text);
  NodePointer root = parser.parse_whole();
  if (!root) return ExpressionError{parser.error()};
  Expression expression;
  expression.text_ = text;
  expression.root_ = std::move(root);
  return expression;
}

namespace {
bool node_mentions(const Node& node, std::string_view name) {
  if (node.kind == Node::Kind::field && node.name == name) return true;
  for (const NodePointer& operand : node.operands) {
    if (node_mentions(*operand, name)) return true;
  }
  return false;
}
}  // namespace

bool Expression::mentions(std::string_view name) const { return node_mentions(*root_, name); }

std::variant<ConfigValue, ExpressionError> Expression::evaluate(const Fields& fields, const Counters& counters) const {
  Evaluation evaluation(fields, counters);
  auto value = evaluation.value(*root_);
  if (!value) return ExpressionError{evaluation.error};
  return std::move(*value);
}

}  // namespace whyfail::fixer
