// One pass over a text: the longest known turn at each place, else the word that stands there.
#include "kb/vocabulary.h"

#include <algorithm>
#include <utility>

#include "kb/code_points.h"

namespace whyfail::kb {
namespace {

constexpr std::size_t longest_text = 4096;
constexpr std::size_t most_groups = 40;
constexpr std::size_t least_letters = 3;
constexpr std::size_t signs_a_word = 3;  // of Han or katakana, about

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool is_kana(char32_t sign) { return sign >= 0x3040 && sign <= 0x309F; }
bool is_hangul(char32_t sign) { return sign >= 0xAC00 && sign <= 0xD7FF; }

// "27b", "24", "5g": a figure.
bool is_figure(const std::string& word) {
  const std::size_t letter = word.find_first_not_of("0123456789");
  return letter != 0 && (letter == std::string::npos || word.size() - letter <= 2);
}

// What is collected while a text is read.
struct Collected {
  Described described;
  std::size_t unspaced_signs = 0;  // of Han and katakana that no term covers
  bool in_hangul = false;          // inside a run of Hangul; endings hang on words there
  bool hangul_known = false;       // a term covered some of it

  void add(std::vector<std::string> group) {
    auto& groups = described.groups;
    if (groups.size() < most_groups && std::find(groups.begin(), groups.end(), group) == groups.end()) {
      groups.push_back(std::move(group));
    }
  }
  void end_hangul() {
    if (in_hangul && !hangul_known) ++described.unknown;
    in_hangul = hangul_known = false;
  }
};

// A word of a script with blanks that is no term: as it is, where the entries could have it.
std::size_t take_word(const std::u32string& text, std::size_t at, Collected& collected) {
  std::string word;
  bool foreign = false;
  for (; at < text.size() && is_word_sign(text[at]) && text[at] != U'_'; ++at) {
    foreign = foreign || text[at] >= 0x80;
    word.push_back(static_cast<char>(text[at] & 0x7FU));
  }
  if (word.size() < least_letters || is_figure(word)) return at;
  if (foreign) {
    ++collected.described.unknown;
  } else {
    collected.add({word});
  }
  return at;
}

}  // namespace

Vocabulary::Vocabulary(const Database& database) {
  Statement query(database, "SELECT said, means FROM vocabulary");
  while (query.step()) {
    std::u32string said = folded(query.view(0));
    const bool any_ending = !said.empty() && said.back() == U'*';
    if (any_ending) said.pop_back();
    if (said.empty()) continue;
    const char32_t first = said.front();
    by_first_[first].push_back({std::move(said), any_ending, words_of(query.view(1))});
  }
  for (auto& [first, terms] : by_first_) {
    std::stable_sort(terms.begin(), terms.end(),
                     [](const Term& left, const Term& right) { return left.said.size() > right.said.size(); });
  }
}

// The longest term that stands at `at`; `end` is set behind it.
const Vocabulary::Term* Vocabulary::term_at(const std::u32string& text, std::size_t at, std::size_t& end) const {
  const auto terms = by_first_.find(text[at]);
  if (terms == by_first_.end()) return nullptr;
  for (const Term& term : terms->second) {
    if (text.compare(at, term.said.size(), term.said) != 0) continue;
    end = at + term.said.size();
    if (!is_word_sign(term.said.back())) return &term;
    if (!term.any_ending && end < text.size() && is_word_sign(text[end])) continue;
    while (term.any_ending && end < text.size() && is_word_sign(text[end])) ++end;
    return &term;
  }
  return nullptr;
}

Described Vocabulary::describe(std::string_view bytes) const {
  const std::u32string text = folded(bytes.substr(0, longest_text));
  Collected collected;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || !is_word_sign(text[at]) || !is_word_sign(text[at - 1]) || text[at - 1] == U'_';
    std::size_t end = at;
    const Term* term = begins ? term_at(text, at, end) : nullptr;
    if (term != nullptr) {
      if (!term->means.empty()) collected.add(term->means);
      collected.hangul_known = collected.hangul_known || is_hangul(text[at]);
      collected.in_hangul = collected.in_hangul || is_hangul(text[at]);
      at = end;
    } else if (is_word_sign(text[at]) && text[at] != U'_') {
      collected.end_hangul();
      at = take_word(text, at, collected);
    } else {
      if (is_hangul(text[at])) {
        collected.in_hangul = true;
      } else if (is_unspaced(text[at]) && !is_kana(text[at])) {
        ++collected.unspaced_signs;
      } else if (!is_unspaced(text[at])) {
        collected.end_hangul();
      }
      ++at;
    }
  }
  collected.end_hangul();
  collected.described.unknown += (collected.unspaced_signs + signs_a_word - 1) / signs_a_word;
  return std::move(collected.described);
}

}  // namespace whyfail::kb
