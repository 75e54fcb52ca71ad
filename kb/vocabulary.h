// What people say → the words in which the entries say it (data/vocabulary.toml): everyday words and other languages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kb/database.h"

namespace whyfail::kb {

// A text in words of the entries.
struct Described {
  // One group a word or turn of the text, as it comes first, none twice: the words that stand for it.
  std::vector<std::vector<std::string>> groups;
  // How many words of other scripts stand for nothing known.
  std::size_t unknown = 0;
};

class Vocabulary {
 public:
  // Reads the table; one without rows (a team's own knowledge base) leaves texts as they are.
  explicit Vocabulary(const Database& database);

  Described describe(std::string_view text) const;

 private:
  struct Term {
    std::u32string said;             // folded, without the "*"
    bool any_ending = false;         // it was written with "*" at its end
    std::vector<std::string> means;  // empty: says nothing about a failure
  };
  const Term* term_at(const std::u32string& text, std::size_t at, std::size_t& end) const;

  std::unordered_map<char32_t, std::vector<Term>> by_first_;  // longest first
};

}  // namespace whyfail::kb
