// Climbs from the statement of a call to the module.
#include "fixer/plan/check_conditions.h"

#include <algorithm>
#include <array>

#include "fixer/call/syntax.h"

namespace whyfail::fixer {
namespace {

bool is_condition(std::string_view word) {
  static constexpr std::array<std::string_view, 8> words = {"if",    "elif", "else",   "while",
                                                            "match", "case", "except", "finally"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool holds(std::string_view condition, const probes::Machine& machine) {
  if (condition.find("__name__") != std::string_view::npos) return true;
  const bool undecided = condition.find(" not ") != std::string_view::npos ||
                         condition.find(" and ") != std::string_view::npos ||
                         condition.find(" or ") != std::string_view::npos;
  return !undecided && condition.find("cuda.is_available()") != std::string_view::npos && !machine.gpus.empty();
}

constexpr int most_callers = 4;       // functions that call each other are followed this far …
constexpr int most_statements = 256;  // … and no more calls of them than these

std::string_view text_of(const Script& script, const Statement& statement) {
  return std::string_view(script.text()).substr(statement.range.begin, statement.range.end - statement.range.begin);
}

// "except (ImportError, KeyError):" catches nothing that a loading call raises.
bool catches_other_errors(std::string_view header) {
  static constexpr std::array<std::string_view, 5> others = {"ImportError", "ModuleNotFoundError", "KeyboardInterrupt",
                                                             "AssertionError", "EOFError"};
  std::size_t names = 0;
  std::size_t harmless = 0;
  for (std::size_t at = 0; (at = header.find("Error", at)) != std::string_view::npos; ++at) ++names;
  for (std::size_t at = 0; (at = header.find("Interrupt", at)) != std::string_view::npos; ++at) ++names;
  for (const std::string_view other : others) harmless += header.find(other) != std::string_view::npos ? 1U : 0U;
  return names != 0 && names == harmless && header.find("Exception") == std::string_view::npos;
}

bool raises_again(const Script& script, std::size_t handler) {
  const Script::Parts& parts = script.parts();
  for (std::size_t one = handler + 1; one < parts.statements.size() && within(parts, one, handler); ++one) {
    const std::string_view text = text_of(script, parts.statements[one]);
    const bool ends = parts.statements[one].word == "raise" || text.starts_with("sys.exit(") ||
                      text.starts_with("exit(") || text.starts_with("quit(") || text.starts_with("os._exit(");
    if (parts.statements[one].parent == handler && ends) return true;
  }
  return false;
}

bool has_other_way(const Script& script, std::size_t header) {
  const Script::Parts& parts = script.parts();
  const Statement& each = parts.statements[header];
  if (each.word == "with") {
    const std::string_view text = text_of(script, each);
    return text.find("suppress(") != std::string_view::npos || text.find("raises(") != std::string_view::npos;
  }
  if (each.word != "try") return false;
  for (std::size_t one = header + 1; one < parts.statements.size(); ++one) {
    if (parts.statements[one].parent != each.parent) {
      if (each.parent != nowhere && !within(parts, one, each.parent)) break;
      continue;
    }
    const std::string_view word = parts.statements[one].word;
    if (word != "except" && word != "else" && word != "finally") break;
    if (word != "except" || catches_other_errors(text_of(script, parts.statements[one]))) continue;
    if (!raises_again(script, one)) return true;
  }
  return false;
}

// The function whose body holds the statement; empty: the module.
std::string_view function_of(const Script::Parts& parts, std::size_t statement) {
  const Scope& scope = parts.scopes[parts.statements[statement].scope];
  if (scope.kind != Scope::Kind::function) return {};
  const bool made = scope.name == "__init__" && scope.parent != nowhere;
  return made ? parts.scopes[scope.parent].name : scope.name;
}

bool is_caught(const Script& script, std::size_t statement, int depth, int& looked_at) {
  const Script::Parts& parts = script.parts();
  if (statement == nowhere || depth > most_callers || ++looked_at > most_statements) return false;
  for (std::size_t header = parts.statements[statement].parent; header != nowhere;
       header = parts.statements[header].parent) {
    if (has_other_way(script, header)) return true;
  }
  const std::string_view function = function_of(parts, statement);
  if (function.empty()) return false;
  for (const CallNode& call : parts.calls) {
    if (call.statement == nowhere || call.open == 0 || parts.word(call.open - 1) != function) continue;
    if (call.statement != statement && is_caught(script, call.statement, depth + 1, looked_at)) return true;
  }
  return false;
}

}  // namespace

bool failure_is_caught(const Script& script, const Call& call) {
  const Script::Parts& parts = script.parts();
  int looked_at = 0;
  return is_caught(script, parts.statement_of(parts.token_range(call.range).first), 0, looked_at);
}

bool is_reached_for_certain(const Script& script, const Call& call, const probes::Machine& machine) {
  if (!runs_for_certain(script, call, machine)) return false;
  const Script::Parts& parts = script.parts();
  const std::size_t statement = parts.statement_of(parts.token_range(call.range).first);
  const std::string_view function = statement == nowhere ? std::string_view() : function_of(parts, statement);
  if (function.empty()) return true;
  const std::vector<Call> calls = script.calls();
  return std::any_of(calls.begin(), calls.end(), [&](const Call& other) {
    return other.method == function && runs_for_certain(script, other, machine);
  });
}

bool runs_for_certain(const Script& script, const Call& call, const probes::Machine& machine) {
  const Script::Parts& parts = script.parts();
  std::size_t statement = parts.statement_of(parts.token_range(call.range).first);
  if (statement == nowhere) return true;
  // The condition itself is looked at whenever its statement is reached: if (model := AutoModel.from_pretrained(…)):
  const std::string_view word = parts.statements[statement].word;
  if (word == "if" || word == "while" || word == "match") statement = parts.statements[statement].parent;
  while (statement != nowhere && statement < parts.statements.size()) {
    const Statement& each = parts.statements[statement];
    const std::string_view text =
        std::string_view(script.text()).substr(each.range.begin, each.range.end - each.range.begin);
    if (is_condition(each.word) && !(each.word == "if" && holds(text, machine))) return false;
    statement = each.parent;
  }
  return true;
}

}  // namespace whyfail::fixer
