// Sets, removes and renames arguments where they are written: in the call or in a dict that it takes as **.
#include <algorithm>

#include "fixer/call/arguments.h"
#include "fixer/call/changes.h"
#include "fixer/call/entries.h"
#include "fixer/call/values.h"

namespace whyfail::fixer {
namespace {

using Parts = Script::Parts;
using Place = WrittenArgument::Place;

const CallNode* node_of(const Parts& parts, const Call& call) {
  if (!call.complete) return nullptr;
  const TokenRange tokens = parts.token_range(call.range);
  const TokenRange after_open = parts.token_range({call.arguments_range.begin - 1, call.arguments_range.begin});
  if (tokens.empty() || after_open.empty() || inside_fstring(parts, tokens.first)) return nullptr;
  return call_opening_at(parts, tokens.first, after_open.first);
}

bool is_identifier(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9') || is_keyword(name)) return false;
  return std::all_of(name.begin(), name.end(), is_name_byte);
}

// Where to write a new value for the expression at `value`: at its plain assignment, if it is a name that only this
// call uses.
TextRange place_of_value(const Script& script, TextRange value) {
  const auto assigned = script.assignment_of(value);
  if (!assigned || assigned->uses != 1) return value;
  const TokenRange target = script.parts().token_range(assigned->target);
  const Statement& statement = script.parts().statements[script.parts().statement_of(target.first)];
  const bool alone = statement.kind == Statement::Kind::simple && statement.tokens.first == target.first &&
                     script.parts().is(target.last, "=") &&
                     script.parts().bytes(statement.tokens).end == assigned->value.end;
  return alone ? assigned->value : value;
}

// **load_args becomes **{**load_args, "name": value}: the dict itself serves other calls too.
std::vector<Edit> override_shared(const Parts& parts, const CallNode& node, std::string_view name,
                                  const std::string& value) {
  std::vector<const ArgumentNode*> stars;
  for (const ArgumentNode& argument : node.arguments) {
    if (argument.kind == Argument::Kind::double_star) stars.push_back(&argument);
  }
  if (stars.size() != 1) return {};
  const TextRange range = parts.bytes(stars[0]->value);
  const std::string old = parts.text.substr(range.begin, range.end - range.begin);
  const std::string key =
      in_quotes_of(parts, parts.bytes({node.first, node.open + 1}), "\"" + std::string(name) + "\"");
  return {{range, "{**" + old + ", " + key + ": " + value + "}"}};
}

// Where a new argument goes: before the ** arguments at the end.
std::size_t place_for_new(const CallNode& node) {
  std::size_t place = node.arguments.size();
  while (place > 0 && node.arguments[place - 1].kind == Argument::Kind::double_star) --place;
  return place;
}

// f(x for x in y): a second argument would need parentheses around the first.
bool takes_bare_generator(const Parts& parts, const CallNode& node) {
  if (node.arguments.size() != 1) return false;
  const TokenRange value = node.arguments[0].value;
  for (std::size_t index = value.first; index < value.last; index = parts.after(index, value.last)) {
    if (parts.is(index, "for")) return true;
  }
  return false;
}

// The entry of a dict taken as ** whose value stands at `value`.
struct FoundEntry {
  WrittenDict dict;
  WrittenEntry entry;
};

std::optional<FoundEntry> entry_at(const Parts& parts, TokenRange expression, TextRange value, int depth) {
  auto dict = depth < 4 ? dict_behind(parts, expression) : std::nullopt;
  if (!dict) return std::nullopt;
  for (const WrittenEntry& entry : dict->entries) {
    if (parts.bytes(entry.value) == value) return FoundEntry{*dict, entry};
  }
  for (const TokenRange& merged : dict->merged) {
    if (auto found = entry_at(parts, merged, value, depth + 1)) return found;
  }
  return std::nullopt;
}

std::optional<FoundEntry> entry_of(const Parts& parts, const CallNode& node, TextRange value) {
  for (const ArgumentNode& argument : node.arguments) {
    if (argument.kind != Argument::Kind::double_star) continue;
    if (auto found = entry_at(parts, argument.value, value, 0)) return found;
  }
  return std::nullopt;
}

// "key" as written, with another text in the same quotes.
std::string renamed_key(const Parts& parts, TokenRange key, std::string_view to) {
  const std::string_view word = parts.word(key.first);
  const bool plain =
      key.last - key.first == 1 && parts.token(key.first).kind == TokenKind::string && word.front() == word.back();
  const char quote = plain ? word.front() : '"';
  return quote + std::string(to) + quote;
}

std::size_t index_of(const CallNode& node, const Parts& parts, TextRange value) {
  std::size_t which = 0;
  while (which < node.arguments.size() && parts.bytes(node.arguments[which].value) != value) ++which;
  return which;
}

// A name given this often is no call that runs; to follow every one of them would take too long.
constexpr std::size_t most_places = 8;

std::vector<WrittenArgument> places_of(const WrittenArguments& arguments, std::string_view name) {
  std::vector<WrittenArgument> found;
  for (const WrittenArgument& one : arguments.all) {
    if (one.name == name) found.push_back(one);
  }
  if (found.size() > most_places) found.clear();
  return found;
}

std::vector<Edit> remove_written(const Script& script, const CallNode& node, const WrittenArgument& one) {
  const Parts& parts = script.parts();
  if (one.place == Place::keyword) return remove_item(parts, list_of_call(node), index_of(node, parts, one.value));
  if (one.place == Place::positional || one.shared) return {};
  if (one.place == Place::item_assignment) return remove_statement(script, one.value.begin);
  const auto found = entry_of(parts, node, one.value);
  return found ? remove_item(parts, found->dict.list, found->entry.item) : std::vector<Edit>();
}

std::vector<Edit> rename_written(const Script& script, const CallNode& node, const WrittenArgument& one,
                                 std::string_view to) {
  const Parts& parts = script.parts();
  if (one.place == Place::keyword) {
    const std::size_t name = node.arguments[index_of(node, parts, one.value)].name;
    return {{parts.bytes({name, name + 1}), std::string(to)}};
  }
  if (one.place == Place::positional || one.shared) return {};
  if (one.place == Place::item_assignment) {
    const std::size_t first = parts.statements[parts.statement_of(parts.token_range(one.value).first)].tokens.first;
    const TokenRange key{first + 2, parts.token(first + 1).partner};
    return {{parts.bytes(key), renamed_key(parts, key, to)}};
  }
  const auto found = entry_of(parts, node, one.value);
  if (!found) return {};
  const bool display = found->dict.display;
  return {{parts.bytes(found->entry.key), display ? renamed_key(parts, found->entry.key, to) : std::string(to)}};
}

}  // namespace

std::vector<Edit> set_argument(const Script& script, const Call& call, std::string_view name, std::string_view value) {
  const Parts& parts = script.parts();
  const CallNode* node = node_of(parts, call);
  if (node == nullptr || !is_identifier(name)) return {};
  const std::string written = in_quotes_of(parts, call.range, value);
  const WrittenArguments arguments = written_arguments(script, call);
  if (const WrittenArgument* one = arguments.find(name)) {
    if (one->shared) return override_shared(parts, *node, name, written);
    return {{place_of_value(script, one->value), written}};
  }
  if (arguments.open || takes_bare_generator(parts, *node)) return {};
  return insert_item(parts, list_of_call(*node), place_for_new(*node), std::string(name) + "=" + written);
}

std::vector<Edit> remove_argument(const Script& script, const Call& call, std::string_view name) {
  const CallNode* node = node_of(script.parts(), call);
  if (node == nullptr) return {};
  std::vector<Edit> edits;
  for (const WrittenArgument& one : places_of(written_arguments(script, call), name)) {
    const std::vector<Edit> removal = remove_written(script, *node, one);
    if (removal.empty()) return {};
    edits.insert(edits.end(), removal.begin(), removal.end());
  }
  return edits;
}

std::vector<Edit> rename_argument(const Script& script, const Call& call, std::string_view name, std::string_view to) {
  const CallNode* node = node_of(script.parts(), call);
  const WrittenArguments arguments = written_arguments(script, call);
  if (node == nullptr || !is_identifier(to) || arguments.find(to) != nullptr) return {};
  std::vector<Edit> edits;
  for (const WrittenArgument& one : places_of(arguments, name)) {
    const std::vector<Edit> renaming = rename_written(script, *node, one, to);
    if (renaming.empty()) return {};
    edits.insert(edits.end(), renaming.begin(), renaming.end());
  }
  return edits;
}

std::vector<Edit> change_arguments(const Script& script, const Call& call, const std::vector<ArgumentChange>& changes) {
  std::string text = script.text();
  Call current = call;
  for (const ArgumentChange& change : changes) {
    const Script now = Script::read(text);
    std::vector<Edit> edits =
        change.kind == ArgumentChange::Kind::set      ? set_argument(now, current, change.name, change.value)
        : change.kind == ArgumentChange::Kind::remove ? remove_argument(now, current, change.name)
                                                      : rename_argument(now, current, change.name, change.value);
    if (edits.empty()) return {};
    std::size_t begin = current.range.begin;
    std::size_t opening = current.arguments_range.begin;
    for (const Edit& edit : edits) {
      const std::size_t removed = edit.range.end - edit.range.begin;
      if (edit.range.end <= current.range.begin) begin = begin + edit.text.size() - removed;
      if (edit.range.end < current.arguments_range.begin) opening = opening + edit.text.size() - removed;
    }
    text = apply_edits(text, std::move(edits));
    bool found = false;
    for (Call& one : Script::read(text).calls()) {
      if (one.range.begin != begin || one.arguments_range.begin != opening) continue;
      current = std::move(one);
      found = true;
      break;
    }
    if (!found) return {};
  }
  return edits_between(script.text(), text);
}

}  // namespace whyfail::fixer
