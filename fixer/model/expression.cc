// Parses an expression by recursive descent into a small tree, bounded in depth.
#include "fixer/model/expression.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "fixer/model/expression_node.h"

namespace whyfail::fixer {

namespace {
constexpr std::size_t longest_expression = 2000;
constexpr int deepest_expression = 60;
}  // namespace

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
    if (!one && name != "min" && name != "max" && name != "pow") return fail("unknown function " + name);
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

}  // namespace whyfail::fixer
