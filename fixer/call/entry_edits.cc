// Sets, removes and renames entries of dicts.
#include "fixer/call/changes.h"
#include "fixer/call/entries.h"
#include "fixer/call/evaluator.h"
#include "fixer/call/values.h"

namespace whyfail::fixer {
namespace {

using Parts = Script::Parts;

Value value_of_text(std::string_view text) { return Script::read(std::string(text)).value_of({0, text.size()}); }

struct EntrySearch {
  WrittenDict dict;
  const WrittenEntry* entry = nullptr;
  std::optional<ItemAssignment> assignment;  // a later one that counts
};

std::optional<EntrySearch> search(const Parts& parts, TextRange expression, std::string_view key) {
  auto dict = dict_behind(parts, parts.token_range(expression));
  const Value wanted = value_of_text(key);
  if (!dict || wanted.kind == Value::Kind::unknown) return std::nullopt;
  EntrySearch found{std::move(*dict), nullptr, std::nullopt};
  for (const WrittenEntry& entry : found.dict.entries) {
    if (same_value(entry.key_value, wanted)) found.entry = &entry;
  }
  for (const ItemAssignment& change : changes_of(parts, found.dict).assignments) {
    if (same_value(evaluate(parts, change.key), wanted)) found.assignment = change;
  }
  return found;
}

}  // namespace

std::vector<Edit> set_entry(const Script& script, TextRange dict, std::string_view key, std::string_view value) {
  const Parts& parts = script.parts();
  const auto found = search(parts, dict, key);
  if (!found || inside_fstring(parts, found->dict.list.open)) return {};
  const WrittenList& list = found->dict.list;
  const TextRange whole{parts.token(list.open).begin, parts.token(list.close).end};
  const std::string written = in_quotes_of(parts, whole, value);
  if (found->assignment) {
    if (!found->assignment->certain) return {};
    return {{parts.bytes(found->assignment->value), written}};
  }
  if (found->entry != nullptr) return {{parts.bytes(found->entry->value), written}};
  if (!found->dict.merged.empty()) return {};
  if (found->dict.display)
    return insert_item(parts, list, list.items.size(), in_quotes_of(parts, whole, key) + ": " + written);
  const Value name = value_of_text(key);
  const bool usable =
      name.kind == Value::Kind::text && !name.text.empty() && !is_keyword(name.text) &&
      name.text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string::npos;
  if (!usable) return {};
  return insert_item(parts, list, list.items.size(), name.text + "=" + written);
}

std::vector<Edit> add_entries(const Script& script, TextRange dict,
                              const std::vector<std::pair<std::string, std::string>>& entries) {
  const Parts& parts = script.parts();
  const auto found = dict_behind(parts, parts.token_range(dict));
  if (!found || !found->display || !found->merged.empty() || inside_fstring(parts, found->list.open)) return {};
  const WrittenList& list = found->list;
  const TextRange whole{parts.token(list.open).begin, parts.token(list.close).end};
  std::string separator = ", ";
  if (!list.items.empty()) {
    const auto indent = indentation_of(parts, list.items.back().tokens.first);
    if (indent) separator = "," + line_ending(parts) + *indent;
  }
  std::string text;
  for (const auto& [key, value] : entries) {
    const auto there = search(parts, dict, key);
    if (!there || there->entry != nullptr || there->assignment) return {};
    text +=
        (text.empty() ? "" : separator) + in_quotes_of(parts, whole, key) + ": " + in_quotes_of(parts, whole, value);
  }
  return text.empty() ? std::vector<Edit>{} : insert_item(parts, list, list.items.size(), text);
}

std::vector<Edit> remove_entry(const Script& script, TextRange dict, std::string_view key) {
  const Parts& parts = script.parts();
  const auto found = search(parts, dict, key);
  if (!found || found->entry == nullptr || found->assignment || inside_fstring(parts, found->dict.list.open)) return {};
  return remove_item(parts, found->dict.list, found->entry->item);
}

std::vector<Edit> rename_entry(const Script& script, TextRange dict, std::string_view key, std::string_view to) {
  const Parts& parts = script.parts();
  const auto found = search(parts, dict, key);
  const auto taken = search(parts, dict, to);
  if (!found || found->entry == nullptr || found->assignment || !taken || taken->entry != nullptr ||
      !found->dict.display || inside_fstring(parts, found->dict.list.open)) {
    return {};
  }
  const TextRange range = parts.bytes(found->entry->key);
  return {{range, in_quotes_of(parts, range, to)}};
}

std::optional<Call> call_behind(const Script& script, TextRange expression) {
  if (auto assigned = script.assignment_of(expression)) expression = assigned->value;
  const Parts& parts = script.parts();
  TokenRange tokens = parts.token_range(expression);
  while (tokens.last - tokens.first > 2 && parts.is(tokens.first, "(") &&
         parts.token(tokens.first).partner == tokens.last - 1) {
    ++tokens.first;
    --tokens.last;
  }
  return tokens.empty() ? std::nullopt : script.call_at(parts.bytes(tokens));
}

}  // namespace whyfail::fixer
