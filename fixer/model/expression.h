// The arithmetic of size templates: a text such as "head_dim*num_attention_heads" or "layer_types[i]=='full_attention'"
// over the fields of a config. Whole numbers are 64 bit and checked for overflow; nothing else than reading fields has
// an effect; depth, length and work are bounded, so a hostile template or config costs a message and no more.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace whyfail::fixer {

// A value of a config field: None, a flag, a number, a text, or a list of those that are no lists.
struct ConfigValue;
using ValueList = std::vector<ConfigValue>;
struct ConfigValue {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::shared_ptr<const ValueList>> is;
  bool none() const { return std::holds_alternative<std::monostate>(is); }
  bool truthy() const;
};

// What an expression can see: fields by dotted name ("text_config.hidden_size"), and the loop counters "i" and "j".
class Fields {
 public:
  virtual ~Fields() = default;
  // nullopt: there is no such field and no default for it.
  virtual std::optional<ConfigValue> field(std::string_view name) const = 0;
};

struct Counters {
  std::int64_t i = 0;
  std::int64_t j = 0;
};

struct ExpressionError {
  std::string why;  // "field 'hidden_size' is missing", "overflow in 'a*b'"
};

// Grammar, loosest first: or, and, not, comparison (== != < <= > >= in, is None, is not None), + -, * / // %, unary -,
// then numbers, 'texts', true, false, None, names with dots, name[i], trunc(x), min(x, y), max(x, y), pow(x, y),
// len(x), ( ).
// As in Python: // rounds down, % has the divisor's sign, / gives a fraction, `a or b` gives one of its operands.
class Expression {
 public:
  static std::variant<Expression, ExpressionError> parse(std::string_view text);

  std::variant<ConfigValue, ExpressionError> evaluate(const Fields& fields, const Counters& counters) const;
  const std::string& text() const { return text_; }
  // Whether the name (a field or a counter) occurs.
  bool mentions(std::string_view name) const;

  struct Node;

 private:
  std::string text_;
  std::shared_ptr<const Node> root_;
};

// The value as a whole number (flags are 0 and 1; a fraction is none); nullopt otherwise.
std::optional<std::int64_t> whole_number(const ConfigValue& value);

}  // namespace whyfail::fixer
