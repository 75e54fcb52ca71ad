// Attributes of classes of this text and of objects that they make, where the text sets them once.
#include "fixer/call/entries.h"
#include "fixer/call/evaluator.h"

namespace whyfail::fixer {
namespace {

using Parts = Script::Parts;

// The class whose method holds the statement; nowhere: none.
std::size_t class_around(const Parts& parts, std::size_t statement) {
  for (std::size_t scope = parts.statements[statement].scope; scope != nowhere; scope = parts.scopes[scope].parent) {
    const std::size_t parent = parts.scopes[scope].parent;
    const bool method = parts.scopes[scope].kind == Scope::Kind::function && parent != nowhere;
    if (method && parts.scopes[parent].kind == Scope::Kind::class_body) return parent;
  }
  return nowhere;
}

// The class of the object that the name at `token` was assigned: config = Config(…).
std::size_t class_of_object(const Parts& parts, std::size_t token) {
  const Binding* binding = binding_reaching(parts, token);
  if (binding == nullptr || binding->kind != Binding::Kind::plain || binding->value.empty()) return nowhere;
  const std::size_t maker = binding->value.first;
  const bool call = parts.is(maker + 1, "(") && parts.token(maker + 1).partner + 1 == binding->value.last;
  const Binding* made = call ? binding_reaching(parts, maker) : nullptr;
  if (made == nullptr || made->kind != Binding::Kind::definition) return nowhere;
  const Statement& header = parts.statements[made->statement];
  return header.word == "class" ? header.body_scope : nowhere;
}

// Whether an object of the class may be made with another value than the class gives the attribute.
bool may_be_given(const Parts& parts, std::string_view class_name, std::string_view attribute) {
  for (const CallNode& call : parts.calls) {
    const bool makes = parts.word(call.first) == class_name && call.open == call.first + 1;
    const bool copies = call.open > 0 && parts.is(call.open - 1, "replace");
    if (!makes && !copies) continue;
    for (const ArgumentNode& argument : call.arguments) {
      const bool named = argument.kind == Argument::Kind::keyword;
      if (named ? parts.word(argument.name) == attribute : makes) return true;
    }
  }
  return false;
}

// Tokens of the value in "object.attribute = value", where the statement is one.
TokenRange value_set(const Parts& parts, const Statement& statement, std::string_view attribute) {
  const std::size_t first = statement.tokens.first;
  const bool sets = statement.kind == Statement::Kind::simple && parts.is(first + 1, ".") &&
                    parts.is(first + 2, attribute) && parts.is(first + 3, "=");
  return sets ? TokenRange{first + 4, statement.tokens.last} : TokenRange{};
}

// Something changes what the attribute holds: object.attribute["key"] = …, object.attribute.update(…), += …
bool is_changed_in_place(const Parts& parts, std::string_view attribute) {
  for (std::size_t index = 1; index + 1 < parts.tokens.all.size(); ++index) {
    if (!parts.is(index, attribute) || !parts.is(index - 1, ".")) continue;
    const std::string_view next = parts.word(index + 1);
    const bool augments =
        next.size() > 1 && next.back() == '=' && next != "==" && next != "!=" && next != "<=" && next != ">=";
    if (next == "[" || next == "." || augments) return true;
  }
  return false;
}

}  // namespace

std::optional<Value> Evaluator::class_attribute(std::size_t name, std::string_view attribute) {
  const Binding* binding = binding_reaching(parts_, name);
  if (binding == nullptr || binding->kind != Binding::Kind::definition) return std::nullopt;
  const Statement& header = parts_.statements[binding->statement];
  if (header.word != "class") return std::nullopt;
  const auto bound = parts_.bindings.find(binding_key(header.body_scope, attribute));
  if (bound == parts_.bindings.end() || bound->second.size() != 1 || bound->second[0].kind != Binding::Kind::plain)
    return std::nullopt;
  const auto uses = parts_.uses.find(std::string(parts_.word(name)));
  for (const Use& use : uses->second) {  // "Config.model = …" changes it
    const bool changes =
        parts_.is(use.token + 1, ".") && parts_.is(use.token + 2, attribute) && parts_.is(use.token + 3, "=");
    if (changes) return std::nullopt;
  }
  return evaluate(bound->second[0].value);
}

std::optional<Value> Evaluator::instance_attribute(std::size_t name, std::string_view attribute) {
  const bool self = parts_.is(name, "self");
  const std::size_t of = self ? class_around(parts_, parts_.statement_of(name)) : class_of_object(parts_, name);
  if (of == nowhere || parts_.uses.count("setattr") != 0) return std::nullopt;
  TokenRange only;
  std::size_t found = 0;
  const auto bound = parts_.bindings.find(binding_key(of, attribute));
  if (bound != parts_.bindings.end()) {
    if (bound->second.size() != 1 || bound->second[0].kind != Binding::Kind::plain) return std::nullopt;
    if (may_be_given(parts_, parts_.scopes[of].name, attribute)) return std::nullopt;
    only = bound->second[0].value;
    ++found;
  }
  for (const Statement& statement : parts_.statements) {
    if (++work_ > 50000) return std::nullopt;
    const TokenRange value = value_set(parts_, statement, attribute);
    if (value.empty()) continue;
    const bool own = parts_.is(statement.tokens.first, "self") && parts_.scopes[statement.scope].parent == of;
    if (!own || ++found > 1) return std::nullopt;
    only = value;
  }
  if (found != 1 || is_changed_in_place(parts_, attribute)) return std::nullopt;
  return evaluate(only);
}

}  // namespace whyfail::fixer
