// Looks at the calls of the function in which a loading call stands.
#include "fixer/plan/caller_literal.h"

#include <algorithm>

namespace whyfail::fixer {

namespace {

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// "load" of the statement "load = …" in which the call stands; "": it is another one.
std::string name_assigned(const Script& script, const Call& call) {
  const TextRange statement = script.statement_at(call.range.begin);
  const std::string text = script.text().substr(statement.begin, statement.end - statement.begin);
  std::size_t end = 0;
  while (end < text.size() && is_name_byte(text[end])) ++end;
  return text.compare(end, 3, " = ") == 0 ? text.substr(0, end) : "";
}

// The text that all calls of `function` give at a position; nullopt: none, or they differ.
std::optional<std::string> text_given(const Script& script, const std::string& function, std::size_t position) {
  std::optional<std::string> text;
  for (const Call& other : script.calls()) {
    if (other.callee != function) continue;
    if (other.arguments.size() != position + 1 || other.arguments[position].kind != Argument::Kind::positional)
      return std::nullopt;
    const Value value = script.value_of(other.arguments[position].value);
    if (value.kind != Value::Kind::text || (text && *text != value.text)) return std::nullopt;
    text = value.text;
  }
  return text;
}

// load("models/x") after load = partial(AutoModel.from_pretrained, …), with nothing else given.
std::optional<std::string> first_argument_later(const Script& script, const Call& call) {
  const std::string name = name_assigned(script, call);
  const bool partial = script.text().substr(call.range.begin, 24).find("partial(") != std::string::npos;
  return name.empty() || !partial ? std::nullopt : text_given(script, name, 0);
}

// load("models/x") after load = lambda path: AutoModel.from_pretrained(path, …).
std::optional<std::string> argument_of_lambda(const Script& script, const Call& call, const Parameter& parameter) {
  const std::string name = name_assigned(script, call);
  if (name.empty() || parameter.value.kind != Value::Kind::unknown) return std::nullopt;
  const std::string& text = script.text();
  const std::size_t begin = script.statement_at(call.range.begin).begin + name.size();
  const std::string head = text.substr(begin, call.range.begin - begin);
  const std::string wanted =
      text.substr(parameter.expression.begin, parameter.expression.end - parameter.expression.begin);
  return head == " = lambda " + wanted + ": " ? text_given(script, name, 0) : std::nullopt;
}

}  // namespace

std::optional<std::string> argument_of_caller(const Script& script, const Call& call, const Parameter& parameter) {
  if (auto given = argument_of_lambda(script, call, parameter)) return given;
  if (call.scope.empty() || parameter.value.kind != Value::Kind::unknown) return std::nullopt;
  const std::string& text = script.text();
  const std::string name =
      text.substr(parameter.expression.begin, parameter.expression.end - parameter.expression.begin);
  const std::string function =
      call.scope.substr(call.scope.rfind('.') == std::string::npos ? 0 : call.scope.rfind('.') + 1);
  const auto def = text.find("def " + function + "(");
  if (def == std::string::npos) return std::nullopt;
  const std::size_t open = def + 5 + function.size();
  const std::string names = text.substr(open, text.find(')', open) - open);
  std::size_t position = 0;
  std::size_t begin = 0;
  bool found = false;
  while (begin <= names.size() && !found) {
    std::size_t end = names.find(',', begin);
    if (end == std::string::npos) end = names.size();
    std::string one = names.substr(begin, end - begin);
    one = one.substr(0, one.find_first_of(":="));
    one.erase(
        std::remove_if(one.begin(), one.end(), [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }),
        one.end());
    found = one == name;
    if (!found && one != "self" && one != "cls") ++position;
    begin = end + 1;
  }
  if (!found) return std::nullopt;
  std::optional<std::string> literal;
  for (const Call& other : script.calls()) {
    if (other.method != function && other.callee != function) continue;
    std::size_t at = 0;
    for (const Argument& argument : other.arguments) {
      const bool here = argument.kind == Argument::Kind::positional
                            ? at++ == position
                            : argument.kind == Argument::Kind::keyword && argument.name == name;
      if (!here) continue;
      const Value value = script.value_of(argument.value);
      if (value.kind != Value::Kind::text || (literal && *literal != value.text)) return std::nullopt;
      literal = value.text;
    }
  }
  return literal;
}

std::optional<std::string> model_named_elsewhere(const Script& script, const Call& call, const LoadCall& load) {
  const Parameter* named = load.find(load.loader == Loader::pipeline ? "model" : "pretrained_model_name_or_path");
  if (named != nullptr) return argument_of_caller(script, call, *named);
  return load.loader == Loader::from_pretrained ? first_argument_later(script, call) : std::nullopt;
}

}  // namespace whyfail::fixer
