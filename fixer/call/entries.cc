// Finds the display or dict(...) behind an expression and what changes it before it is used.
#include "fixer/call/entries.h"

#include <algorithm>
#include <array>

#include "fixer/call/values.h"

namespace whyfail::fixer {
namespace {

using Parts = Script::Parts;

TokenRange without_parentheses(const Parts& parts, TokenRange range) {
  while (range.last - range.first > 2 && parts.is(range.first, "(") &&
         parts.token(range.first).partner == range.last - 1) {
    ++range.first;
    --range.last;
  }
  return range;
}

std::optional<WrittenDict> display_at(const Parts& parts, std::size_t open) {
  WrittenDict dict;
  dict.list = list_in_brackets(parts, open);
  for (std::size_t which = 0; which < dict.list.items.size(); ++which) {
    const TokenRange tokens = dict.list.items[which].tokens;
    if (parts.is(tokens.first, "**")) {
      dict.merged.push_back({tokens.first + 1, tokens.last});
      continue;
    }
    std::size_t colon = tokens.first;
    while (colon < tokens.last && !parts.is(colon, ":") && !parts.is(colon, "for"))
      colon = parts.after(colon, tokens.last);
    if (colon >= tokens.last || !parts.is(colon, ":") || parts.is(tokens.first, "lambda"))
      return std::nullopt;  // a set
    for (std::size_t index = colon; index < tokens.last; index = parts.after(index, tokens.last)) {
      if (parts.is(index, "for")) return std::nullopt;  // a comprehension
    }
    const TokenRange key{tokens.first, colon};
    dict.entries.push_back({key, {colon + 1, tokens.last}, which, evaluate(parts, key)});
  }
  return dict;
}

std::optional<WrittenDict> dict_call(const Parts& parts, const CallNode& call) {
  WrittenDict dict;
  dict.display = false;
  dict.list = list_of_call(call);
  if (call.close == no_token) return std::nullopt;
  for (std::size_t which = 0; which < call.arguments.size(); ++which) {
    const ArgumentNode& argument = call.arguments[which];
    if (argument.kind == Argument::Kind::star) return std::nullopt;
    if (argument.kind != Argument::Kind::keyword) {
      dict.merged.push_back(argument.value);
      continue;
    }
    Value key;
    key.kind = Value::Kind::text;
    key.text = parts.word(argument.name);
    dict.entries.push_back({{argument.name, argument.name + 1}, argument.value, which, key});
  }
  return dict;
}

bool is_change(const Parts& parts, std::size_t name) {
  if (parts.is(name + 1, "[")) {
    const std::size_t close = parts.token(name + 1).partner;
    return close != no_token && parts.is(close + 1, "=");
  }
  return parts.is(name + 1, ".") &&
         (parts.is(name + 2, "update") || parts.is(name + 2, "pop") || parts.is(name + 2, "setdefault"));
}

// All uses of the variable behind the dict's name, but for the one through which it was found.
std::vector<Use> uses_of(const Parts& parts, const WrittenDict& dict) {
  std::vector<Use> found;
  const std::string_view name = parts.word(dict.name);
  const auto uses = parts.uses.find(std::string(name));
  if (uses == parts.uses.end()) return found;
  const std::size_t scope = scope_of_name(parts, name, parts.statements[parts.statement_of(dict.name)].scope);
  for (const Use& use : uses->second) {
    if (use.token != dict.name && scope_of_name(parts, name, use.scope) == scope) found.push_back(use);
  }
  return found;
}

}  // namespace

const CallNode* call_opening_at(const Parts& parts, std::size_t first, std::size_t open) {
  auto call = std::lower_bound(parts.calls.begin(), parts.calls.end(), first,
                               [](const CallNode& one, std::size_t token) { return one.first < token; });
  for (; call != parts.calls.end() && call->first == first; ++call) {
    if (call->open == open) return &*call;
  }
  return nullptr;
}

std::optional<WrittenDict> dict_behind(const Parts& parts, TokenRange expression) {
  expression = without_parentheses(parts, expression);
  if (expression.empty()) return std::nullopt;
  const std::size_t first = expression.first;
  const bool whole = parts.token(first).partner == expression.last - 1;
  if (parts.is(first, "{") && whole) return display_at(parts, first);
  if (parts.is(first, "dict") && parts.is(first + 1, "(") && parts.token(first + 1).partner == expression.last - 1) {
    const CallNode* call = call_opening_at(parts, first, first + 1);
    return call == nullptr ? std::nullopt : dict_call(parts, *call);
  }
  if (expression.last - first != 1 || parts.token(first).kind != TokenKind::name) return std::nullopt;
  const Binding* binding = binding_reaching(parts, first);
  if (binding == nullptr || binding->kind != Binding::Kind::plain) return std::nullopt;
  const TokenRange value = without_parentheses(parts, binding->value);
  if (value.last - value.first == 1) return std::nullopt;  // one step is as far as an edit follows
  auto dict = dict_behind(parts, value);
  if (dict) {
    dict->binding = binding;
    dict->name = first;
  }
  return dict;
}

std::size_t other_uses(const Parts& parts, const WrittenDict& dict) {
  if (dict.binding == nullptr) return 0;
  const auto uses = uses_of(parts, dict);
  return static_cast<std::size_t>(
      std::count_if(uses.begin(), uses.end(), [&](const Use& use) { return !is_change(parts, use.token); }));
}

DictChanges changes_of(const Parts& parts, const WrittenDict& dict) {
  DictChanges changes;
  if (dict.binding == nullptr) return changes;
  const std::size_t user = parts.statement_of(dict.name);
  for (const Use& use : uses_of(parts, dict)) {
    const bool same_scope = parts.statements[user].scope == use.scope;
    if (same_scope && (use.token > dict.name || use.token < dict.binding->token)) continue;
    if (!is_change(parts, use.token)) {
      constexpr std::array<std::string_view, 5> reading = {"get", "items", "keys", "values", "copy"};
      const bool method = parts.is(use.token + 1, ".");
      const bool reads =
          method && std::find(reading.begin(), reading.end(), parts.word(use.token + 2)) != reading.end();
      const bool other_name =
          use.token > 0 && parts.is(use.token - 1, "=") && parts.statements[use.statement].tokens.last == use.token + 1;
      changes.open = changes.open || (method && !reads) || parts.statements[use.statement].word == "del" || other_name;
      continue;
    }
    const Statement& statement = parts.statements[use.statement];
    const std::size_t close = parts.token(use.token + 1).partner;
    if (!parts.is(use.token + 1, "[") || use.token != statement.tokens.first) {
      changes.open = true;
      continue;
    }
    const bool certain =
        same_scope && (statement.parent == nowhere || statement.parent == parts.statements[user].parent ||
                       within(parts, user, statement.parent));
    changes.assignments.push_back({use.statement, {use.token + 2, close}, {close + 2, statement.tokens.last}, certain});
  }
  return changes;
}

}  // namespace whyfail::fixer
