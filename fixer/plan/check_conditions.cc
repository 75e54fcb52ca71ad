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

}  // namespace

bool runs_for_certain(const Script& script, const Call& call, const probes::Machine& machine) {
  const Script::Parts& parts = script.parts();
  std::size_t statement = parts.statement_of(parts.token_range(call.range).first);
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
