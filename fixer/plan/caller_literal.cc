// Looks at the calls of the function in which a loading call stands.
#include "fixer/plan/caller_literal.h"

#include <algorithm>

namespace whyfail::fixer {

std::optional<std::string> argument_of_caller(const Script& script, const Call& call, const Parameter& parameter) {
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

}  // namespace whyfail::fixer
