// The evaluator behind evaluate(): reads an expression from its tokens with bounded depth and work.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fixer/call/values.h"

namespace whyfail::fixer {

inline constexpr std::size_t longest_text = 1 << 16;  // bytes; no text in a loading call comes near it

class Evaluator {
 public:
  explicit Evaluator(const Script::Parts& parts) : parts_(parts) {}

  Value evaluate(TokenRange range);

  // A name as used at that token (names_in_values.cc).
  Value value_of_name(std::size_t token);
  // An attribute of a class in this text that is assigned once, in its body (attributes_in_values.cc).
  std::optional<Value> class_attribute(std::size_t name, std::string_view attribute);
  // An attribute of self, or of the object that the name was assigned, which its class sets in one place.
  std::optional<Value> instance_attribute(std::size_t name, std::string_view attribute);

 private:
  // Reads from next_ up to last_; tokens that stay unread make the whole unknown.
  struct Cursor {
    std::size_t next;
    std::size_t last;
  };

  Value expression(Cursor& cursor);
  Value comparison(Cursor& cursor);
  Value merged(Cursor& cursor);
  Value sum(Cursor& cursor);
  Value product(Cursor& cursor);
  Value unary(Cursor& cursor);
  Value power(Cursor& cursor);
  Value primary(Cursor& cursor);
  Value atom(Cursor& cursor);
  Value number(std::size_t token);
  Value strings(Cursor& cursor);
  bool formatted_string(TokenRange inside, bool raw, std::string& text);
  Value display(std::size_t open);  // ( ), [ ], { } with what is in them
  Value dict_display(TokenRange inside);
  Value comprehension(TokenRange inside, std::size_t word, char bracket);
  std::optional<std::vector<Value>> loop_values(TokenRange iterable);
  Value formatted(std::string_view form, std::size_t open);
  Value called(const Value& callee, std::size_t open);
  Value called_dict(std::size_t open);
  Value result_of(Value call, const Value& callee, bool plain) const;
  std::optional<Value> told_by_torch(const Value& call) const;
  Value subscript(const Value& base, std::size_t open);
  Value attribute(const Value& base, std::size_t name, bool only_name, std::size_t first);

  Value parameter(const Binding& binding);
  void apply_changes(const Binding& binding, std::size_t use, Value& dict);
  void apply_change(const Use& change, bool certain, Value& dict);
  void apply_item(std::size_t open, const Statement& statement, bool certain, Value& dict);
  void apply_method(std::size_t name, bool certain, Value& dict);

  void skip_comments(Cursor& cursor) const;
  bool at(Cursor& cursor, std::string_view sign) const;
  std::vector<TokenRange> items(TokenRange inside) const;           // separated by commas
  std::size_t find(TokenRange range, std::string_view sign) const;  // at the depth of its first token; no_token

  const Script::Parts& parts_;
  std::vector<std::pair<std::string_view, Value>> loop_names_;  // of comprehensions being evaluated
  int depth_ = 0;
  int work_ = 0;
};

Value unknown_value(TextRange range = {});
Value text_value(std::string text);
Value integer_value(long long integer);
bool same_value(const Value& left, const Value& right);
// A key that may be there with an unknown value: the pair's value is unknown. Keys that can't be told: a pair of
// unknowns.
void set_entry_value(Value& dict, const Value& key, const Value& value);
void remove_entry_value(Value& dict, const Value& key);
// Arithmetic and comparison of plain values; unknown where it can't be told.
Value computed(const Value& left, std::string_view sign, const Value& right);
// "%d of %s" % values and "{} of {}".format(values); nullopt: a form that is not understood.
std::optional<std::string> percent_formatted(std::string_view form, const std::vector<Value>& values);
std::optional<std::string> brace_formatted(std::string_view form, const std::vector<Value>& values);
std::optional<std::string> shown(const Value& value);  // as str() shows it

}  // namespace whyfail::fixer
