// Lines before a statement; statements and method calls taken out.
#include <algorithm>
#include <array>

#include "fixer/call/changes.h"
#include "fixer/call/lists.h"

namespace whyfail::fixer {
namespace {

using Parts = Script::Parts;

std::size_t statement_at(const Parts& parts, std::size_t position) {
  const auto next = std::upper_bound(parts.statements.begin(), parts.statements.end(), position,
                                     [](std::size_t at, const Statement& one) { return at < one.range.begin; });
  return next == parts.statements.begin() ? nowhere : static_cast<std::size_t>(next - parts.statements.begin()) - 1;
}

// A header that goes on with the statement before it.
bool continues(const Statement& statement) {
  constexpr std::array<std::string_view, 5> words = {"elif", "else", "except", "finally", "case"};
  return statement.kind == Statement::Kind::header &&
         std::find(words.begin(), words.end(), statement.word) != words.end();
}

// The first statement on the same logical line.
std::size_t first_on_line(const Parts& parts, std::size_t index) {
  while (index > 0 && parts.statements[index - 1].line_begin == parts.statements[index].line_begin) --index;
  return index;
}

bool only_one_in_block(const Parts& parts, std::size_t index) {
  const std::size_t block = parts.statements[index].parent;
  if (block == nowhere) return false;
  std::size_t count = 0;
  for (std::size_t one = block + 1; one < parts.statements.size() && count < 2; ++one) {
    if (parts.statements[one].parent == block) ++count;
    if (parts.statements[one].line_begin > parts.statements[index].line_begin && !within(parts, one, block)) break;
  }
  return count == 1;
}

std::vector<Edit> remove_whole_line(const Parts& parts, const Statement& statement) {
  std::size_t end = past_comment(parts, statement.range.end);
  while (end < parts.text.size() && (parts.text[end] == ' ' || parts.text[end] == '\t')) ++end;
  if (end < parts.text.size()) end += parts.text.compare(end, 2, "\r\n") == 0 ? 2U : 1U;
  return {{{statement.line_begin, end}, ""}};
}

}  // namespace

std::vector<Edit> insert_before_statement(const Script& script, std::size_t position,
                                          const std::vector<std::string>& lines) {
  const Parts& parts = script.parts();
  std::size_t index = statement_at(parts, position);
  if (index == nowhere || lines.empty()) return {};
  const std::size_t first = first_on_line(parts, index);
  if (first != index && parts.statements[first].kind == Statement::Kind::header) return {};
  index = first;
  while (index > 0 && parts.statements[index - 1].word == "@") --index;
  const Statement& statement = parts.statements[index];
  if (continues(statement)) return {};
  const std::string indent = parts.text.substr(statement.line_begin, statement.range.begin - statement.line_begin);
  const std::string ending = line_ending(parts);
  std::string text;
  for (const std::string& line : lines) text += (line.empty() ? "" : indent + line) + ending;
  return {{{statement.line_begin, statement.line_begin}, text}};
}

std::vector<Edit> remove_statement(const Script& script, std::size_t position) {
  const Parts& parts = script.parts();
  const std::size_t index = statement_at(parts, position);
  if (index == nowhere) return {};
  const Statement& statement = parts.statements[index];
  if (statement.kind != Statement::Kind::simple || statement.word == "@") return {};
  if (only_one_in_block(parts, index)) return {{statement.range, "pass"}};
  if (!statement.shares_line) return remove_whole_line(parts, statement);
  const bool next_shares =
      index + 1 < parts.statements.size() && parts.statements[index + 1].line_begin == statement.line_begin;
  if (next_shares) return {{{statement.range.begin, parts.statements[index + 1].range.begin}, ""}};
  const Statement* previous = index > 0 ? &parts.statements[index - 1] : nullptr;
  const bool follows =
      previous != nullptr && previous->line_begin == statement.line_begin && previous->kind == Statement::Kind::simple;
  if (follows) return {{{previous->range.end, statement.range.end}, ""}};
  return {{statement.range, "pass"}};
}

std::vector<Edit> remove_method_call(const Script& script, const Call& call) {
  const Parts& parts = script.parts();
  if (call.receiver == TextRange{} || !call.complete) return {};
  const std::size_t index = statement_at(parts, call.range.begin);
  const TokenRange receiver = parts.token_range(call.receiver);
  if (index == nowhere || inside_fstring(parts, receiver.first)) return {};
  const Statement& statement = parts.statements[index];
  const std::string name = parts.dotted(receiver);
  const bool ends_statement = statement.range.end == call.range.end && statement.kind == Statement::Kind::simple;
  if (!name.empty() && ends_statement) {
    const bool bare = statement.range == call.range;
    const std::size_t equals = statement.tokens.first + (receiver.last - receiver.first);
    const bool assigned_to_itself =
        equals + 1 == receiver.first && parts.is(equals, "=") && parts.dotted({statement.tokens.first, equals}) == name;
    if (bare || assigned_to_itself) return remove_statement(script, statement.range.begin);
  }
  const std::size_t dot = receiver.last;  // comments may stand before it and are kept
  const bool comment = dot < parts.tokens.all.size() && parts.token(dot).kind == TokenKind::comment;
  std::size_t begin = call.receiver.end;
  if (comment) {
    std::size_t sign = dot;
    while (parts.token(sign).kind == TokenKind::comment) ++sign;
    begin = parts.token(sign).begin;
  }
  return {{{begin, call.range.end}, ""}};
}

}  // namespace whyfail::fixer
