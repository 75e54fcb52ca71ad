// What a name stands for: its assignment with later changes to a dict, an import, an argument of the only call.
#include <algorithm>
#include <array>

#include "fixer/call/evaluator.h"

namespace whyfail::fixer {
namespace {

using Parts = Script::Parts;

constexpr std::size_t most_entries = 4096;

// The call whose callee is just the name at `token`.
const CallNode* call_of_name(const Parts& parts, std::size_t token) {
  const auto found = std::lower_bound(parts.calls.begin(), parts.calls.end(), token,
                                      [](const CallNode& call, std::size_t first) { return call.first < first; });
  for (auto call = found; call != parts.calls.end() && call->first == token; ++call) {
    if (call->open == token + 1) return &*call;
  }
  return nullptr;
}

// Decorators that hand the arguments on as they are.
bool passes_arguments_on(const Parts& parts, std::size_t header) {
  for (std::size_t index = header; index > 0 && parts.statements[index - 1].word == "@"; --index) {
    const TokenRange tokens = parts.statements[index - 1].tokens;
    std::size_t last = tokens.first + 1;
    while (last + 1 < tokens.last && !parts.is(last + 1, "(")) ++last;
    constexpr std::array<std::string_view, 7> transparent = {"no_grad",        "inference_mode", "lru_cache", "cache",
                                                             "cache_resource", "staticmethod",   "cache_data"};
    if (std::find(transparent.begin(), transparent.end(), parts.word(last)) == transparent.end()) return false;
  }
  return true;
}

// Names of the positional parameters in order; `self` of an initializer is left out.
std::vector<std::string_view> positional_parameters(const Parts& parts, const Statement& header) {
  std::vector<std::string_view> names;
  std::size_t open = header.tokens.first;
  while (open < header.tokens.last && !parts.is(open, "(")) ++open;
  if (open >= header.tokens.last || parts.token(open).partner == no_token) return names;
  const std::size_t end = parts.token(open).partner;
  bool expects_name = true;
  for (std::size_t index = open + 1; index < end && !parts.is(index, "*") && !parts.is(index, "**");
       index = parts.after(index, end)) {
    if (expects_name && parts.token(index).kind == TokenKind::name) {
      names.push_back(parts.word(index));
      expects_name = false;
    }
    if (parts.is(index, ",")) expects_name = true;
  }
  return names;
}

bool mutates_nothing(std::string_view method) {
  constexpr std::array<std::string_view, 5> reading = {"get", "items", "keys", "values", "copy"};
  return std::find(reading.begin(), reading.end(), method) != reading.end();
}

}  // namespace

void set_entry_value(Value& dict, const Value& key, const Value& value) {
  if (key.kind == Value::Kind::unknown || dict.pairs.size() >= most_entries) {
    if (dict.pairs.empty() || dict.pairs.back().first.kind != Value::Kind::unknown) dict.pairs.emplace_back();
    return;
  }
  for (auto& [name, old] : dict.pairs) {
    if (!same_value(name, key)) continue;
    old = value;
    return;
  }
  dict.pairs.emplace_back(key, value);
}

void remove_entry_value(Value& dict, const Value& key) {
  const auto is_key = [&](const auto& pair) { return same_value(pair.first, key); };
  dict.pairs.erase(std::remove_if(dict.pairs.begin(), dict.pairs.end(), is_key), dict.pairs.end());
}

Value Evaluator::value_of_name(std::size_t token) {
  const std::string_view name = parts_.word(token);
  for (auto local = loop_names_.rbegin(); local != loop_names_.rend(); ++local) {
    if (local->first != name) continue;
    const bool plain = local->second.kind != Value::Kind::list && local->second.kind != Value::Kind::dict;
    return plain ? local->second : unknown_value(parts_.bytes({token, token + 1}));
  }
  Value value = unknown_value(parts_.bytes({token, token + 1}));
  const auto* all = bindings_of(parts_, token);
  if (all == nullptr) {
    value.text = name;
    return value;
  }
  const Binding* binding = binding_reaching(parts_, token);
  if (binding == nullptr) return value;
  if (binding->kind == Binding::Kind::plain) {
    Value assigned = evaluate(binding->value);
    if (assigned.kind == Value::Kind::dict) apply_changes(*binding, token, assigned);
    return assigned;
  }
  if (binding->kind == Binding::Kind::parameter) return parameter(*binding);
  if (binding->kind == Binding::Kind::import) {
    value.kind = Value::Kind::attribute;
    // "from transformers import BitsAndBytesConfig" is BitsAndBytesConfig however it was imported; torch's names keep
    // "torch.".
    const bool of_torch = binding->source.rfind("torch.", 0) == 0;
    const bool from = parts_.is(parts_.statements[binding->statement].tokens.first, "from");
    value.text = from && !of_torch ? binding->source.substr(binding->source.rfind('.') + 1) : binding->source;
  } else if (binding->kind == Binding::Kind::definition) {
    value.text = name;
  }
  return value;
}

// A parameter has the value that the only call of its function gives it.
Value Evaluator::parameter(const Binding& binding) {
  const Statement& header = parts_.statements[binding.statement];
  const Scope& scope = parts_.scopes[header.body_scope];
  std::string_view callee = scope.name;
  std::size_t callee_scope = scope.parent;
  bool method = false;
  if (callee_scope != nowhere && parts_.scopes[callee_scope].kind == Scope::Kind::class_body) {
    if (callee != "__init__") return unknown_value();
    callee = parts_.scopes[callee_scope].name;
    callee_scope = parts_.scopes[callee_scope].parent;
    method = true;
  }
  const auto bound = parts_.bindings.find(binding_key(callee_scope, callee));
  const auto uses = parts_.uses.find(std::string(callee));
  if (bound == parts_.bindings.end() || bound->second.size() != 1 || uses == parts_.uses.end() ||
      uses->second.size() != 1 || !passes_arguments_on(parts_, binding.statement)) {
    return unknown_value();
  }
  const CallNode* call = call_of_name(parts_, uses->second.front().token);
  if (call == nullptr || call->close == no_token) return unknown_value();
  auto names = positional_parameters(parts_, header);
  if (method && !names.empty()) names.erase(names.begin());
  std::size_t place = 0;
  for (const ArgumentNode& argument : call->arguments) {
    if (argument.kind == Argument::Kind::star || argument.kind == Argument::Kind::double_star) return unknown_value();
    const std::string_view name = argument.kind == Argument::Kind::keyword ? parts_.word(argument.name)
                                  : place < names.size()                   ? names[place++]
                                                                           : std::string_view();
    if (name == parts_.word(binding.token)) return evaluate(argument.value);
  }
  return binding.value.empty() ? unknown_value() : evaluate(binding.value);
}

// kwargs = {...}; kwargs["device_map"] = "auto"; kwargs.update(...): all that happens between the binding and the use.
void Evaluator::apply_changes(const Binding& binding, std::size_t use, Value& dict) {
  const auto uses = parts_.uses.find(std::string(parts_.word(binding.token)));
  if (uses == parts_.uses.end() || depth_ > 20) return;
  const std::size_t use_statement = parts_.statement_of(use);
  const std::size_t scope = parts_.statements[binding.statement].scope;
  for (const Use& one : uses->second) {
    if (++work_ > 50000) return dict.pairs.emplace_back(), void();
    if (one.token == use || scope_of_name(parts_, parts_.word(use), one.scope) != scope) continue;
    const std::size_t block = parts_.statements[one.statement].parent;
    const bool same_order = one.scope == scope && parts_.statements[use_statement].scope == scope;
    if (same_order && (one.token > use || one.token < binding.value.last)) continue;
    const bool certain =
        one.scope == scope && one.token > binding.token && one.token < use &&
        (block == nowhere || block == parts_.statements[use_statement].parent || within(parts_, use_statement, block));
    apply_change(one, certain, dict);
  }
}

void Evaluator::apply_change(const Use& change, bool certain, Value& dict) {
  const std::size_t next = change.token + 1;
  const Statement& statement = parts_.statements[change.statement];
  if (next < statement.tokens.last && parts_.is(next, "[") && parts_.token(next).partner < statement.tokens.last) {
    return apply_item(next, statement, certain, dict);
  }
  if (next + 1 < statement.tokens.last && parts_.is(next, ".")) return apply_method(next + 1, certain, dict);
  if (change.token > statement.tokens.first && parts_.is(change.token - 1, "=") && next >= statement.tokens.last) {
    dict.pairs.emplace_back();  // another name for it: what happens through that one is not followed
  }
}

void Evaluator::apply_item(std::size_t open, const Statement& statement, bool certain, Value& dict) {
  const std::size_t close = parts_.token(open).partner;
  const bool stores =
      close + 1 < statement.tokens.last && open == statement.tokens.first + 1 && parts_.is(close + 1, "=");
  const bool deletes =
      statement.word == "del" && close + 1 == statement.tokens.last && open == statement.tokens.first + 2;
  const bool inside = open == statement.tokens.first + 1 && !stores && find(statement.tokens, "=") != no_token;
  if (!stores && !deletes && !inside) return;
  const Value key = evaluate({open + 1, close});
  if (stores && certain && find({close + 2, statement.tokens.last}, "=") == no_token) {
    set_entry_value(dict, key, evaluate({close + 2, statement.tokens.last}));
  } else if (deletes && certain && key.kind != Value::Kind::unknown) {
    remove_entry_value(dict, key);
  } else {
    set_entry_value(dict, key, unknown_value());
  }
}

void Evaluator::apply_method(std::size_t name, bool certain, Value& dict) {
  const std::string_view method = parts_.word(name);
  if (mutates_nothing(method)) return;
  const bool called = parts_.is(name + 1, "(") && parts_.token(name + 1).partner != no_token;
  const auto arguments = called ? items({name + 2, parts_.token(name + 1).partner}) : std::vector<TokenRange>();
  if (method == "pop" && !arguments.empty()) {
    const Value key = evaluate(arguments.front());
    if (certain && key.kind != Value::Kind::unknown) return remove_entry_value(dict, key);
    return set_entry_value(dict, key, unknown_value());
  }
  Value other;
  if (method == "update" && called) {
    other = called_dict(name + 1);
  } else if (method == "setdefault" && arguments.size() == 2) {
    other.kind = Value::Kind::dict;
    const Value key = evaluate(arguments[0]);
    const bool there = std::any_of(dict.pairs.begin(), dict.pairs.end(),
                                   [&](const auto& pair) { return same_value(pair.first, key); });
    if (there) return;
    other.pairs.emplace_back(key, evaluate(arguments[1]));
  }
  if (other.kind != Value::Kind::dict) return set_entry_value(dict, unknown_value(), unknown_value());
  for (const auto& [key, value] : other.pairs) set_entry_value(dict, key, certain ? value : unknown_value());
}

// The arguments of dict(...) or update(...) as a dict.
Value Evaluator::called_dict(std::size_t open) {
  Value callee;
  callee.text = "dict";
  return called(callee, open);
}

}  // namespace whyfail::fixer
