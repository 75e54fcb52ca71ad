// Lists in brackets as written: arguments of a call, entries of a dict, names of an import. Insertion and removal keep
// the list's layout.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fixer/call/syntax.h"

namespace whyfail::fixer {

struct ListItem {
  TokenRange tokens;
  std::size_t comma = no_token;  // the one after it
};

struct WrittenList {
  std::size_t open = no_token;  // no_token: a list without brackets (an import)
  std::size_t close = no_token;
  std::vector<ListItem> items;
};

WrittenList list_of_call(const CallNode& call);
WrittenList list_in_brackets(const Script::Parts& parts, std::size_t open);

// Adds `text` before item `before` (items.size(): at the end).
std::vector<Edit> insert_item(const Script::Parts& parts, const WrittenList& list, std::size_t before,
                              std::string_view text);
std::vector<Edit> remove_item(const Script::Parts& parts, const WrittenList& list, std::size_t which);

std::string line_ending(const Script::Parts& parts);
// Blanks before the token if it is the first on its line; nullopt: it isn't.
std::optional<std::string> indentation_of(const Script::Parts& parts, std::size_t token);
// Past the comment that stands behind `position` on its line; `position` itself if there is none.
std::size_t past_comment(const Script::Parts& parts, std::size_t position);
// `value` with the quotes that the text around `range` prefers.
std::string in_quotes_of(const Script::Parts& parts, TextRange range, std::string_view value);
// True inside a field of an f-string, where a change could break the string.
bool inside_fstring(const Script::Parts& parts, std::size_t token);

}  // namespace whyfail::fixer
