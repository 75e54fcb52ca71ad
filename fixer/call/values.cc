// Evaluates expressions: literals, displays, comprehensions over a range, arithmetic, calls and attributes by name.
#include "fixer/call/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "fixer/call/evaluator.h"

namespace whyfail::fixer {
namespace {

constexpr int deepest = 60;
constexpr int most_work = 50000;

struct Deeper {
  explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  int& depth_;
};

}  // namespace

Value evaluate(const Script::Parts& parts, TokenRange expression) { return Evaluator(parts).evaluate(expression); }

std::string qualified_name(const Script::Parts& parts, TokenRange tokens, std::string_view dotted) {
  if (dotted.empty() || tokens.empty()) return std::string(dotted);
  const Binding* binding = binding_reaching(parts, tokens.first);
  const std::string_view first = parts.word(tokens.first);
  const bool begins = dotted == first || dotted.starts_with(std::string(first) + ".");
  if (binding == nullptr || !begins) return std::string(dotted);
  const std::string rest(dotted.substr(first.size()));
  if (binding->kind == Binding::Kind::import) return binding->source + rest;
  // Model = AutoModelForCausalLM: one step is as far as a name is followed.
  const std::string named = binding->kind == Binding::Kind::plain ? parts.dotted(binding->value) : std::string();
  if (named.empty()) return std::string(dotted);
  const Binding* behind = binding_reaching(parts, binding->value.first);
  if (behind == nullptr || behind->kind != Binding::Kind::import) return std::string(dotted);
  return behind->source + named.substr(parts.word(binding->value.first).size()) + rest;
}

void Evaluator::skip_comments(Cursor& cursor) const {
  while (cursor.next < cursor.last && parts_.token(cursor.next).kind == TokenKind::comment) ++cursor.next;
}

bool Evaluator::at(Cursor& cursor, std::string_view sign) const {
  skip_comments(cursor);
  return cursor.next < cursor.last && parts_.is(cursor.next, sign);
}

std::vector<TokenRange> Evaluator::items(TokenRange inside) const {
  std::vector<TokenRange> found;
  std::size_t first = inside.first;
  const auto add = [&](std::size_t last) {
    while (first < last && parts_.token(first).kind == TokenKind::comment) ++first;
    while (first < last && parts_.token(last - 1).kind == TokenKind::comment) --last;
    if (first < last) found.push_back({first, last});
  };
  for (std::size_t index = inside.first; index < inside.last; index = parts_.after(index, inside.last)) {
    if (!parts_.is(index, ",")) continue;
    add(index);
    first = index + 1;
  }
  add(inside.last);
  return found;
}

std::size_t Evaluator::find(TokenRange range, std::string_view sign) const {
  for (std::size_t index = range.first; index < range.last; index = parts_.after(index, range.last)) {
    if (parts_.is(index, sign)) return index;
  }
  return no_token;
}

Value Evaluator::evaluate(TokenRange range) {
  Value value = unknown_value(parts_.bytes(range));
  if (range.empty() || depth_ >= deepest || ++work_ > most_work) return value;
  const Deeper deeper(depth_);
  Cursor cursor{range.first, range.last};
  Value read = expression(cursor);
  skip_comments(cursor);
  if (cursor.next != cursor.last) return value;
  if (read.range == TextRange{}) read.range = value.range;
  return read;
}

Value Evaluator::expression(Cursor& cursor) {
  Value value = comparison(cursor);
  if (!at(cursor, "if")) return value;
  ++cursor.next;
  const Value condition = comparison(cursor);
  if (!at(cursor, "else") || depth_ >= deepest) return unknown_value();
  ++cursor.next;
  const Deeper deeper(depth_);
  Value otherwise = expression(cursor);
  if (condition.kind != Value::Kind::boolean) return unknown_value();
  return condition.boolean ? value : otherwise;
}

// {…} | {…}: the entries of the right one count.
Value Evaluator::merged(Cursor& cursor) {
  Value value = sum(cursor);
  while (at(cursor, "|")) {
    ++cursor.next;
    const Value other = sum(cursor);
    if (value.kind != Value::Kind::dict || other.kind != Value::Kind::dict || ++work_ > most_work)
      return unknown_value();
    value.range = {};
    for (const auto& [key, entry] : other.pairs) set_entry_value(value, key, entry);
  }
  return value;
}

Value Evaluator::comparison(Cursor& cursor) {
  Value value = merged(cursor);
  constexpr std::array<std::string_view, 6> signs = {"<", "<=", ">", ">=", "==", "!="};
  skip_comments(cursor);
  if (cursor.next >= cursor.last) return value;
  const std::string_view sign = parts_.word(cursor.next);
  if (parts_.token(cursor.next).kind != TokenKind::op || std::find(signs.begin(), signs.end(), sign) == signs.end())
    return value;
  ++cursor.next;
  return computed(value, sign, merged(cursor));
}

Value Evaluator::sum(Cursor& cursor) {
  Value value = product(cursor);
  while (at(cursor, "+") || at(cursor, "-")) {
    const std::string_view sign = parts_.word(cursor.next++);
    value = computed(value, sign, product(cursor));
    if (++work_ > most_work || value.text.size() > longest_text || value.items.size() > longest_text)
      return unknown_value();
  }
  return value;
}

Value Evaluator::product(Cursor& cursor) {
  Value value = unary(cursor);
  while (at(cursor, "*") || at(cursor, "/") || at(cursor, "//") || at(cursor, "%")) {
    const std::string_view sign = parts_.word(cursor.next++);
    value = computed(value, sign, unary(cursor));
    if (++work_ > most_work || value.text.size() > longest_text) return unknown_value();
  }
  return value;
}

Value Evaluator::unary(Cursor& cursor) {
  std::size_t minuses = 0;
  bool any = false;
  for (; at(cursor, "-") || at(cursor, "+"); ++cursor.next) {
    minuses += parts_.is(cursor.next, "-") ? 1U : 0U;
    any = true;
  }
  Value value = power(cursor);
  if (!any) return value;
  return minuses % 2 == 1 ? computed(integer_value(0), "-", value) : computed(integer_value(0), "+", value);
}

Value Evaluator::power(Cursor& cursor) {
  Value value = primary(cursor);
  if (!at(cursor, "**")) return value;
  ++cursor.next;
  if (depth_ >= deepest) return unknown_value();
  const Deeper deeper(depth_);
  return computed(value, "**", unary(cursor));
}

Value Evaluator::primary(Cursor& cursor) {
  skip_comments(cursor);
  const std::size_t first = cursor.next;
  Value value = atom(cursor);
  bool only_name = cursor.next == first + 1 && parts_.token(first).kind == TokenKind::name;
  while (cursor.next < cursor.last && ++work_ <= most_work) {
    if (at(cursor, ".") && cursor.next + 1 < cursor.last && parts_.token(cursor.next + 1).kind == TokenKind::name) {
      const std::size_t name = cursor.next + 1;
      const bool formats = value.kind == Value::Kind::text && parts_.is(name, "format") && parts_.is(name + 1, "(") &&
                           parts_.token(name + 1).partner < cursor.last;
      value = formats ? formatted(value.text, name + 1) : attribute(value, name, only_name, first);
      cursor.next = formats ? parts_.token(name + 1).partner + 1 : name + 1;
    } else if ((at(cursor, "(") || at(cursor, "[")) && parts_.token(cursor.next).partner < cursor.last) {
      const bool call = parts_.is(cursor.next, "(");
      const std::size_t open = cursor.next;
      value = call ? called(std::move(value), open) : subscript(value, open);
      cursor.next = parts_.token(open).partner + 1;
      if (call) value.range = parts_.bytes({first, cursor.next});
    } else {
      break;
    }
    only_name = false;
  }
  return value;
}

Value Evaluator::atom(Cursor& cursor) {
  if (cursor.next >= cursor.last) return unknown_value();
  const std::size_t index = cursor.next;
  const Token& token = parts_.token(index);
  if (token.kind == TokenKind::string || token.kind == TokenKind::fstring_begin) return strings(cursor);
  if (token.kind == TokenKind::op && token.partner != no_token && token.partner > index &&
      token.partner < cursor.last) {
    cursor.next = token.partner + 1;
    return display(index);
  }
  const std::string_view word = parts_.word(index);
  if (token.kind == TokenKind::number) {
    ++cursor.next;
    return number(index);
  }
  if (token.kind != TokenKind::name) return unknown_value();
  Value value;
  value.range = parts_.bytes({index, index + 1});
  if (word == "None") value.kind = Value::Kind::none;
  if (word == "True" || word == "False") {
    value.kind = Value::Kind::boolean;
    value.boolean = word == "True";
  }
  if (value.kind == Value::Kind::unknown && is_keyword(word)) return value;  // not read: the whole is unknown
  ++cursor.next;
  return value.kind == Value::Kind::unknown ? value_of_name(index) : value;
}

Value Evaluator::number(std::size_t token) {
  std::string digits(parts_.word(token));
  digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
  Value value;
  value.range = parts_.bytes({token, token + 1});
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0') {
    const char letter = static_cast<char>(digits[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
  }
  const char* begin = digits.data() + (base == 10 ? 0 : 2);
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(begin, end, value.integer, base);
  if (error == std::errc() && stop == end) {
    value.kind = Value::Kind::integer;
    return value;
  }
  value.integer = 0;
  const auto [stopped, failed] = std::from_chars(begin, end, value.floating);
  const bool fraction = digits.find_first_of(".eE") != std::string::npos;
  if (base == 10 && fraction && failed == std::errc() && stopped == end) value.kind = Value::Kind::floating;
  return value;
}

Value Evaluator::strings(Cursor& cursor) {
  Value value = text_value("");
  const std::size_t first = cursor.next;
  for (skip_comments(cursor); cursor.next < cursor.last; skip_comments(cursor)) {
    const Token& token = parts_.token(cursor.next);
    if (token.kind == TokenKind::string) {
      if (!decode_string(parts_.word(cursor.next), value.text)) value.kind = Value::Kind::unknown;
      ++cursor.next;
    } else if (token.kind == TokenKind::fstring_begin && token.partner != no_token && token.partner < cursor.last) {
      const bool raw = parts_.word(cursor.next).find_first_of("rR") != std::string_view::npos;
      if (!formatted_string({cursor.next + 1, token.partner}, raw, value.text)) value.kind = Value::Kind::unknown;
      cursor.next = token.partner + 1;
    } else {
      break;
    }
  }
  if (cursor.next == first) return unknown_value();
  value.range = parts_.bytes({first, cursor.next});
  if (value.kind == Value::Kind::unknown) value.text.clear();
  return value;
}

bool Evaluator::formatted_string(TokenRange inside, bool raw, std::string& text) {
  for (std::size_t index = inside.first; index < inside.last;) {
    if (parts_.token(index).kind == TokenKind::fstring_text) {
      std::string literal(parts_.word(index));
      for (const char brace : {'{', '}'}) {
        const std::string twice(std::size_t{2}, brace);
        for (std::size_t at = 0; (at = literal.find(twice, at)) != std::string::npos; ++at) literal.erase(at, 1);
      }
      if (!decode_text(literal, raw, text)) return false;
      ++index;
      continue;
    }
    const std::size_t end = parts_.token(index).partner;
    if (end == no_token || end <= index) return false;
    for (std::size_t inner = index + 1; inner < end; ++inner) {
      if (parts_.token(inner).kind == TokenKind::fstring_text || parts_.is(inner, "=")) return false;
    }
    const auto piece = shown(evaluate({index + 1, end}));
    if (!piece || text.size() > longest_text) return false;
    text += *piece;
    index = end + 1;
  }
  return true;
}

Value Evaluator::display(std::size_t open) {
  const TokenRange inside{open + 1, parts_.token(open).partner};
  const TextRange range = parts_.bytes({open, inside.last + 1});
  const char bracket = parts_.word(open)[0];
  if (depth_ >= deepest) return unknown_value(range);
  const std::size_t word = find(inside, "for");
  Value value;
  if (word != no_token) {
    value = comprehension(inside, word, bracket);
  } else if (bracket == '{' &&
             (find(inside, ":") != no_token || find(inside, "**") != no_token || items(inside).empty())) {
    value = dict_display(inside);
  } else if (bracket == '(' && find(inside, ",") == no_token && inside.first < inside.last) {
    return evaluate(inside);
  } else {
    value.kind = Value::Kind::list;
    for (const TokenRange& item : items(inside)) value.items.push_back(evaluate(item));
  }
  value.range = range;
  return value;
}

Value Evaluator::dict_display(TokenRange inside) {
  Value dict;
  dict.kind = Value::Kind::dict;
  for (const TokenRange& item : items(inside)) {
    if (parts_.is(item.first, "**")) {
      const Value other = evaluate({item.first + 1, item.last});
      if (other.kind == Value::Kind::dict) {
        for (const auto& [key, value] : other.pairs) set_entry_value(dict, key, value);
      } else {
        dict.pairs.emplace_back();
      }
      continue;
    }
    const std::size_t colon = find(item, ":");
    if (colon == no_token || parts_.is(item.first, "lambda")) {
      dict.pairs.emplace_back();
      continue;
    }
    set_entry_value(dict, evaluate({item.first, colon}), evaluate({colon + 1, item.last}));
  }
  return dict;
}

// {f"model.layers.{i}": 0 for i in range(32)}, [i for i in range(4)]: one loop, no condition.
Value Evaluator::comprehension(TokenRange inside, std::size_t word, char bracket) {
  const std::size_t in = word + 2;
  const bool one_name = in < inside.last && parts_.is(in, "in") && parts_.token(word + 1).kind == TokenKind::name;
  if (!one_name || bracket == '(' || find({in, inside.last}, "if") != no_token) return unknown_value();
  if (find({in, inside.last}, "for") != no_token) return unknown_value();
  const auto values = loop_values({in + 1, inside.last});
  const TokenRange element{inside.first, word};
  const std::size_t colon = bracket == '{' ? find(element, ":") : no_token;
  if (!values || (bracket == '{' && colon == no_token)) return unknown_value();
  Value whole;
  whole.kind = bracket == '{' ? Value::Kind::dict : Value::Kind::list;
  for (const Value& value : *values) {
    loop_names_.emplace_back(parts_.word(word + 1), value);
    if (bracket == '{') {
      set_entry_value(whole, evaluate({element.first, colon}), evaluate({colon + 1, element.last}));
    } else {
      whole.items.push_back(evaluate(element));
    }
    loop_names_.pop_back();
  }
  return work_ > most_work ? unknown_value() : whole;
}

std::optional<std::vector<Value>> Evaluator::loop_values(TokenRange iterable) {
  constexpr long long most = 1024;
  const bool range = iterable.last - iterable.first >= 3 && parts_.is(iterable.first, "range") &&
                     parts_.is(iterable.first + 1, "(") &&
                     parts_.token(iterable.first + 1).partner == iterable.last - 1;
  if (!range) {
    Value list = evaluate(iterable);
    if (list.kind != Value::Kind::list) return std::nullopt;
    return list.items;
  }
  std::vector<long long> bounds;
  for (const TokenRange& item : items({iterable.first + 2, iterable.last - 1})) {
    const Value bound = evaluate(item);
    if (bound.kind != Value::Kind::integer) return std::nullopt;
    bounds.push_back(bound.integer);
  }
  if (bounds.empty() || bounds.size() > 2) return std::nullopt;
  const long long begin = bounds.size() == 2 ? bounds[0] : 0;
  const long long end = bounds.back();
  if (begin < -most || end > most) return std::nullopt;
  std::vector<Value> values;
  for (long long integer = begin; integer < end; ++integer) values.push_back(integer_value(integer));
  return values;
}

Value Evaluator::subscript(const Value& base, std::size_t open) {
  const Value key = evaluate({open + 1, parts_.token(open).partner});
  if (base.kind == Value::Kind::dict) {
    for (const auto& [name, value] : base.pairs) {
      if (name.kind == Value::Kind::unknown) return unknown_value();
    }
    for (const auto& [name, value] : base.pairs) {
      if (same_value(name, key)) return value;
    }
  }
  if (base.kind == Value::Kind::list && key.kind == Value::Kind::integer && key.integer >= 0 &&
      key.integer < static_cast<long long>(base.items.size())) {
    return base.items[static_cast<std::size_t>(key.integer)];
  }
  return unknown_value();
}

Value Evaluator::attribute(const Value& base, std::size_t name, bool only_name, std::size_t first) {
  Value value;
  value.range = parts_.bytes({first, name + 1});
  if (base.kind == Value::Kind::attribute) {
    value.kind = Value::Kind::attribute;
    value.text = base.text + "." + std::string(parts_.word(name));
  } else if (only_name) {
    if (auto constant = class_attribute(first, parts_.word(name))) return *constant;
    if (auto constant = instance_attribute(first, parts_.word(name))) return *constant;
    if (bindings_of(parts_, first) == nullptr) {  // not assigned in this text: taken for a module
      value.kind = Value::Kind::attribute;
      value.text = std::string(parts_.word(first)) + "." + std::string(parts_.word(name));
    }
  }
  return value;
}

}  // namespace whyfail::fixer
