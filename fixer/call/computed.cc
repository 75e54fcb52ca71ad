// Arithmetic on values that the text tells: "20 * 1024**3", "model.layers." + str(3), "%dGiB" % 20.
#include <cmath>

#include "fixer/call/evaluator.h"

namespace whyfail::fixer {
namespace {

bool is_number(const Value& value) { return value.kind == Value::Kind::integer || value.kind == Value::Kind::floating; }

double as_floating(const Value& value) {
  return value.kind == Value::Kind::integer ? static_cast<double>(value.integer) : value.floating;
}

Value floating_value(double floating) {
  if (!std::isfinite(floating)) return unknown_value();
  Value value;
  value.kind = Value::Kind::floating;
  value.floating = floating;
  return value;
}

Value boolean_value(bool boolean) {
  Value value;
  value.kind = Value::Kind::boolean;
  value.boolean = boolean;
  return value;
}

Value integer_power(long long base, long long exponent) {
  if (exponent < 0) return floating_value(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  if (exponent > 64) return unknown_value();
  long long result = 1;
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(result, base, &result)) return unknown_value();
  }
  return integer_value(result);
}

// Python rounds a quotient down and gives the remainder the sign of the divisor.
Value integer_quotient(long long left, long long right, bool remainder) {
  if (right == 0 || right == -1)
    return right == 0 || remainder ? unknown_value() : computed(integer_value(0), "-", integer_value(left));
  long long quotient = left / right;
  if (left % right != 0 && (left < 0) != (right < 0)) --quotient;
  return integer_value(remainder ? left - quotient * right : quotient);
}

Value computed_integers(long long left, std::string_view sign, long long right) {
  long long result = 0;
  if (sign == "+") return __builtin_add_overflow(left, right, &result) ? unknown_value() : integer_value(result);
  if (sign == "-") return __builtin_sub_overflow(left, right, &result) ? unknown_value() : integer_value(result);
  if (sign == "*") return __builtin_mul_overflow(left, right, &result) ? unknown_value() : integer_value(result);
  if (sign == "**") return integer_power(left, right);
  if (sign == "//") return integer_quotient(left, right, false);
  if (sign == "%") return integer_quotient(left, right, true);
  if (sign == "/")
    return right == 0 ? unknown_value() : floating_value(static_cast<double>(left) / static_cast<double>(right));
  if (sign == "<") return boolean_value(left < right);
  if (sign == "<=") return boolean_value(left <= right);
  if (sign == ">") return boolean_value(left > right);
  if (sign == ">=") return boolean_value(left >= right);
  return unknown_value();
}

Value computed_floating(double left, std::string_view sign, double right) {
  if (sign == "+") return floating_value(left + right);
  if (sign == "-") return floating_value(left - right);
  if (sign == "*") return floating_value(left * right);
  if (sign == "/") return right == 0 ? unknown_value() : floating_value(left / right);
  if (sign == "**") return floating_value(std::pow(left, right));
  if (sign == "<") return boolean_value(left < right);
  if (sign == ">") return boolean_value(left > right);
  return unknown_value();
}

}  // namespace

Value::Value() = default;
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

Value unknown_value(TextRange range) {
  Value value;
  value.range = range;
  return value;
}

Value text_value(std::string text) {
  Value value;
  value.kind = Value::Kind::text;
  value.text = std::move(text);
  return value;
}

Value integer_value(long long integer) {
  Value value;
  value.kind = Value::Kind::integer;
  value.integer = integer;
  return value;
}

bool same_value(const Value& left, const Value& right) {
  if (left.kind != right.kind) return false;
  switch (left.kind) {
    case Value::Kind::none:
      return true;
    case Value::Kind::boolean:
      return left.boolean == right.boolean;
    case Value::Kind::integer:
      return left.integer == right.integer;
    case Value::Kind::text:
    case Value::Kind::attribute:
      return left.text == right.text;
    default:
      return false;
  }
}

Value computed(const Value& left, std::string_view sign, const Value& right) {
  const bool plain = left.kind != Value::Kind::unknown && right.kind != Value::Kind::unknown;
  if (plain && (sign == "==" || sign == "!=")) {
    const bool comparable =
        left.kind == right.kind && (left.kind == Value::Kind::text || left.kind == Value::Kind::integer);
    return comparable ? boolean_value(same_value(left, right) == (sign == "==")) : unknown_value();
  }
  if (left.kind == Value::Kind::integer && right.kind == Value::Kind::integer) {
    return computed_integers(left.integer, sign, right.integer);
  }
  if (is_number(left) && is_number(right)) return computed_floating(as_floating(left), sign, as_floating(right));
  if (left.kind == Value::Kind::text && sign == "+" && right.kind == Value::Kind::text) {
    return text_value(left.text + right.text);
  }
  if (left.kind == Value::Kind::text && sign == "/" && right.kind == Value::Kind::text) {  // a Path
    return text_value(left.text + "/" + right.text);
  }
  if (left.kind == Value::Kind::text && sign == "%") {
    const auto formatted =
        percent_formatted(left.text, right.kind == Value::Kind::list ? right.items : std::vector<Value>{right});
    return formatted ? text_value(*formatted) : unknown_value();
  }
  if (left.kind == Value::Kind::list && sign == "+" && right.kind == Value::Kind::list) {
    Value joined = left;
    joined.items.insert(joined.items.end(), right.items.begin(), right.items.end());
    return joined;
  }
  return unknown_value();
}

std::optional<std::string> shown(const Value& value) {
  if (value.kind == Value::Kind::text) return value.text;
  if (value.kind == Value::Kind::integer) return std::to_string(value.integer);
  return std::nullopt;
}

std::optional<std::string> percent_formatted(std::string_view form, const std::vector<Value>& values) {
  std::string text;
  std::size_t used = 0;
  for (std::size_t index = 0; index < form.size(); ++index) {
    if (form[index] != '%') {
      text += form[index];
      continue;
    }
    if (++index == form.size()) return std::nullopt;
    if (form[index] == '%') {
      text += '%';
      continue;
    }
    const bool whole_number = form[index] == 'd' || form[index] == 'i';
    if ((!whole_number && form[index] != 's') || used == values.size()) return std::nullopt;
    const Value& value = values[used++];
    const auto piece = shown(value);
    if (!piece || (whole_number && value.kind != Value::Kind::integer) || text.size() > longest_text)
      return std::nullopt;
    text += *piece;
  }
  return used == values.size() ? std::optional(text) : std::nullopt;
}

std::optional<std::string> brace_formatted(std::string_view form, const std::vector<Value>& values) {
  std::string text;
  std::size_t used = 0;
  for (std::size_t index = 0; index < form.size(); ++index) {
    const char byte = form[index];
    const char next = index + 1 < form.size() ? form[index + 1] : '\0';
    if ((byte == '{' || byte == '}') && next == byte) {
      text += byte;
      ++index;
    } else if (byte == '{') {
      std::size_t which = used++;
      if (next >= '0' && next <= '9') {
        which = static_cast<std::size_t>(next - '0');
        ++index;
      }
      const auto piece = which < values.size() ? shown(values[which]) : std::nullopt;
      if (!piece || index + 1 >= form.size() || form[index + 1] != '}' || text.size() > longest_text)
        return std::nullopt;
      text += *piece;
      ++index;
    } else if (byte == '}') {
      return std::nullopt;
    } else {
      text += byte;
    }
  }
  return text;
}

}  // namespace whyfail::fixer
