// Makes a name available by an import.
#include <optional>

#include "fixer/call/changes.h"
#include "fixer/call/lists.h"

namespace whyfail::fixer {
namespace {

using Parts = Script::Parts;

bool is_import(const Statement& statement) {
  return statement.kind == Statement::Kind::simple && (statement.word == "import" || statement.word == "from");
}

// "from module import": the token after "import"; no_token if the statement imports something else.
std::size_t names_from(const Parts& parts, const Statement& statement, std::string_view module) {
  if (statement.kind != Statement::Kind::simple || statement.word != "from") return no_token;
  std::size_t index = statement.tokens.first + 1;
  while (index < statement.tokens.last && !parts.is(index, "import")) ++index;
  const bool same = parts.dotted({statement.tokens.first + 1, index}) == module;
  return same && index + 1 < statement.tokens.last ? index + 1 : no_token;
}

WrittenList imported_names(const Parts& parts, const Statement& statement, std::size_t first) {
  if (parts.is(first, "(") && parts.token(first).partner != no_token) return list_in_brackets(parts, first);
  WrittenList list;
  std::size_t begin = first;
  for (std::size_t index = first; index <= statement.tokens.last; ++index) {
    if (index < statement.tokens.last && !parts.is(index, ",")) continue;
    if (begin < index) list.items.push_back({{begin, index}, index < statement.tokens.last ? index : no_token});
    begin = index + 1;
  }
  return list;
}

bool is_docstring(const Parts& parts, const Statement& statement) {
  return statement.tokens.last - statement.tokens.first == 1 &&
         parts.token(statement.tokens.first).kind == TokenKind::string;
}

std::vector<Edit> new_line(const Script& script, const std::string& line, std::size_t position) {
  const Parts& parts = script.parts();
  const Statement* last_import = nullptr;
  for (const Statement& statement : parts.statements) {
    if (statement.range.begin > position) break;
    if (is_import(statement) && statement.parent == nowhere) last_import = &statement;
  }
  const std::string ending = line_ending(parts);
  if (last_import != nullptr) {
    std::size_t end = past_comment(parts, last_import->range.end);
    end = std::min(parts.text.find_first_of("\r\n", end), parts.text.size());
    return {{{end, end}, ending + line}};
  }
  for (const Statement& statement : parts.statements) {
    if (is_docstring(parts, statement) && &statement == &parts.statements.front()) continue;
    if (statement.kind == Statement::Kind::opaque) continue;
    return {{{statement.line_begin, statement.line_begin}, line + ending}};
  }
  return {};
}

}  // namespace

std::vector<Edit> ensure_import(const Script& script, std::string_view module, std::string_view name,
                                std::size_t position) {
  const Parts& parts = script.parts();
  std::optional<std::vector<Edit>> addition;
  for (const Statement& statement : parts.statements) {
    if (statement.range.begin > position) break;
    const std::size_t first = names_from(parts, statement, module);
    if (first == no_token || statement.parent != nowhere) continue;
    const WrittenList list = imported_names(parts, statement, first);
    for (const ListItem& item : list.items) {
      const bool alone = item.tokens.last - item.tokens.first == 1;
      if (alone && (parts.is(item.tokens.first, name) || parts.is(item.tokens.first, "*"))) return {};
    }
    if (!list.items.empty()) addition = insert_item(parts, list, list.items.size(), name);
  }
  if (addition) return *addition;
  return new_line(script, "from " + std::string(module) + " import " + std::string(name), position);
}

}  // namespace whyfail::fixer
