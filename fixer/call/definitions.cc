// Looks for assignments line by line.
#include "fixer/call/definitions.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "fixer/call/syntax.h"

namespace whyfail::fixer {
namespace {

constexpr std::size_t most_definitions = 12;
constexpr int levels = 2;       // a name in the value of a name
constexpr int most_places = 8;  // that assign one name: more are a loop's output or a log, not a script

// Names that stand by themselves: not attributes, called functions or the names of keyword arguments.
std::set<std::string> free_names(const std::string& source) {
  const Script script = Script::read(source);
  const Script::Parts& parts = script.parts();
  std::set<std::string> names;
  for (std::size_t at = 0; at < parts.tokens.all.size(); ++at) {
    if (parts.token(at).kind != TokenKind::name) continue;
    const bool attribute = at > 0 && parts.is(at - 1, ".");
    const bool followed =
        at + 1 < parts.tokens.all.size() && (parts.is(at + 1, "(") || parts.is(at + 1, ".") || parts.is(at + 1, "="));
    if (!attribute && !followed) names.emplace(parts.word(at));
  }
  return names;
}

// "name = …": the name; empty if the line is no such assignment.
std::string assigned_name(std::string_view line) {
  line = stripped(line);
  std::size_t end = 0;
  while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_')) ++end;
  if (end == 0 || std::isdigit(static_cast<unsigned char>(line[0])) != 0) return {};
  const std::string_view rest = stripped(line.substr(end));
  const bool assigns = rest.size() > 1 && rest[0] == '=' && rest[1] != '=' && stripped(rest.substr(1)) != "...";
  return assigns ? std::string(line.substr(0, end)) : std::string();
}

// "quantization_config=config," as a line of its own: an argument of a call that begins further up.
bool is_argument_line(const ShownCode& code, std::size_t line) {
  const std::string_view text = stripped(code.lines[line]);
  if (text.ends_with(",")) return true;
  const std::string_view before = line == 0 ? std::string_view() : stripped(code.lines[line - 1]);
  return before.ends_with(",") || before.ends_with("(");
}

// The lines of a statement with the indentation of the first taken off.
std::string statement_text(const ShownCode& code, std::size_t first, std::size_t lines) {
  const std::string& begin = code.lines[first];
  const std::string indent = begin.substr(0, std::min(begin.find_first_not_of(" \t"), begin.size()));
  std::string text;
  for (std::size_t line = first; line < std::min(first + lines, code.lines.size()); ++line) {
    const std::string& whole = code.lines[line];
    text += (text.empty() ? "" : "\n") + whole.substr(whole.rfind(indent, 0) == 0 ? indent.size() : 0);
  }
  return text;
}

struct Found {
  std::size_t line = 0;
  std::string text;
  int places = 0;
  bool ambiguous = false;
};

void look_for(const std::set<std::string>& names, const ShownCode& code, std::map<std::string, Found>& found) {
  for (std::size_t line = 0; line < code.lines.size(); ++line) {
    const std::string name = assigned_name(code.lines[line]);
    if (name.empty() || names.count(name) == 0 || is_argument_line(code, line)) continue;
    Found& definition = found[name];
    definition.ambiguous = definition.ambiguous || ++definition.places > most_places;
    if (definition.ambiguous) continue;
    const auto read = read_line(code, line);
    const std::string text = read && read->whole ? statement_text(code, line, read->lines) : std::string();
    definition.ambiguous = text.empty() || (!definition.text.empty() && definition.text != text);
    if (definition.text.empty()) {
      definition.line = line;
      definition.text = text;
    }
  }
}

}  // namespace

bool uses_names(const std::string& arguments) { return !free_names(arguments).empty(); }

std::vector<std::string> definitions_of(const ShownCode& code, const std::string& arguments) {
  std::map<std::string, Found> found;
  std::set<std::string> wanted = free_names(arguments);
  for (int level = 0; level < levels && !wanted.empty(); ++level) {
    look_for(wanted, code, found);
    std::set<std::string> further;
    for (const std::string& name : wanted) {
      const auto at = found.find(name);
      if (at == found.end() || at->second.ambiguous) continue;
      for (const std::string& inner : free_names(at->second.text)) {
        if (found.count(inner) == 0) further.insert(inner);
      }
    }
    wanted = std::move(further);
  }
  std::vector<Found> ordered;
  ordered.reserve(found.size());
  for (auto& [name, definition] : found) {
    if (!definition.ambiguous && !definition.text.empty()) ordered.push_back(std::move(definition));
  }
  if (ordered.size() > most_definitions) return {};
  std::sort(ordered.begin(), ordered.end(), [](const Found& a, const Found& b) { return a.line < b.line; });
  std::vector<std::string> texts;
  texts.reserve(ordered.size());
  for (Found& definition : ordered) texts.push_back(std::move(definition.text));
  return texts;
}

}  // namespace whyfail::fixer
