// Dicts as written: a display or dict(...), directly or behind a name that is assigned once.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fixer/call/lists.h"

namespace whyfail::fixer {

struct WrittenEntry {
  TokenRange key;  // display: the key expression; dict(...): the name
  TokenRange value;
  std::size_t item = 0;  // index into the list
  Value key_value;
};

struct WrittenDict {
  bool display = true;  // false: dict(...)
  WrittenList list;
  std::vector<WrittenEntry> entries;
  std::vector<TokenRange> merged;    // what it takes in as **
  const Binding* binding = nullptr;  // the name it was found behind
  std::size_t name = no_token;       // where that name is used
};

// nullopt: the expression is no dict that can be told.
std::optional<WrittenDict> dict_behind(const Script::Parts& parts, TokenRange expression);
// Uses of the dict's name other than `name` itself, changes of its entries left out.
std::size_t other_uses(const Script::Parts& parts, const WrittenDict& dict);
// kwargs["key"] = value statements between the dict and its use: (key, value) expressions.
struct ItemAssignment {
  std::size_t statement = nowhere;
  TokenRange key;
  TokenRange value;
  bool certain = true;  // it happens on every way to the use
};
struct DictChanges {
  std::vector<ItemAssignment> assignments;
  bool open = false;  // other changes that may add or take away entries
};
DictChanges changes_of(const Script::Parts& parts, const WrittenDict& dict);
// The call that starts with token `first` and opens its arguments at `open`; nullptr: none.
const CallNode* call_opening_at(const Script::Parts& parts, std::size_t first, std::size_t open);

}  // namespace whyfail::fixer
