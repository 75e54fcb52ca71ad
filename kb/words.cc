// Words of a text → a query of SQLite's full-text index, and how near what it finds really is.
#include "kb/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace whyfail::kb {
namespace {

constexpr std::size_t most_words = 40;
constexpr std::size_t longest_text = 4096;
// Of the weight of all words of a text, so much must be in an entry; and so many words.
constexpr double least_share = 0.45;
constexpr std::size_t least_words = 3;
// An entry that is so much worse than the best one only distracts from it.
constexpr double least_of_best = 0.7;

constexpr std::array<std::string_view, 46> filler = {
    "the",  "and",  "for",   "with", "you",    "are",   "not",   "but",   "can",  "get",  "got",  "this",
    "that", "have", "has",   "was",  "were",   "from",  "when",  "what",  "how",  "why",  "does", "doesn",
    "don",  "use",  "using", "used", "please", "help",  "any",   "all",   "some", "then", "than", "into",
    "its",  "your", "they",  "will", "would",  "could", "error", "after", "here", "there"};

bool in_word(char sign) {
  return (sign >= 'a' && sign <= 'z') || (sign >= '0' && sign <= '9') || static_cast<unsigned char>(sign) >= 0x80;
}

char lower(char sign) { return sign >= 'A' && sign <= 'Z' ? static_cast<char>(sign - 'A' + 'a') : sign; }

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    const bool known = std::find(words.begin(), words.end(), word) != words.end() ||
                       std::find(filler.begin(), filler.end(), word) != filler.end();
    if (word.size() >= 3 && !known && words.size() < most_words) words.push_back(word);
    word.clear();
  };
  for (const char sign : text.substr(0, longest_text)) {
    if (in_word(lower(sign))) {
      word.push_back(lower(sign));
    } else {
      finish();
    }
  }
  finish();
  return words;
}

std::string any_of(const std::vector<std::string>& words) {
  std::string query;
  for (const std::string& word : words) query += (query.empty() ? "\"" : " OR \"") + word + "\"";
  return query;
}

// In how many entries a word is; rare words say more.
double weight_of(const Database& database, const std::string& word, double entries) {
  Statement query(database, "SELECT count(*) FROM words WHERE words MATCH ?");
  query.bind(any_of({word}));
  const double holding = query.step() ? static_cast<double>(query.number(0)) : 0;
  const double weight = std::log((entries + 1) / (holding + 1)) + 0.1;
  // A word that no entry has may be a name, or show that the text speaks of something else.
  return holding > 0 ? weight : weight / 2;
}

struct WeightedWord {
  std::string word;
  double weight;
};

// Adds up the weights of the words that one entry has.
Similar score_entry(const Database& database, const std::string& id, const std::string& title,
                    const std::vector<WeightedWord>& words, std::size_t& found) {
  Similar similar{id, title, 0};
  double all = 0;
  for (const WeightedWord& word : words) {
    all += word.weight;
    Statement entry(database, "SELECT 1 FROM words WHERE words MATCH ? AND id = ?");
    if (!entry.bind(any_of({word.word})).bind(id).step()) continue;
    similar.score += word.weight;
    ++found;
  }
  similar.score = all > 0 ? std::round(similar.score / all * 100) / 100 : 0;
  return similar;
}

}  // namespace

std::vector<Similar> find_words(const Database& database, std::string_view words) {
  std::vector<Similar> found;
  const std::vector<std::string> query_words = words_in(words);
  if (query_words.empty()) return found;
  Statement query(database, "SELECT id, title FROM words WHERE words MATCH ? ORDER BY bm25(words, 0, 4, 1, 3)");
  query.bind(any_of(query_words));
  while (query.step()) found.push_back({query.text(0), query.text(1), 0});
  return found;
}

std::vector<Similar> find_similar(const Database& database, std::string_view text, std::size_t most) {
  const std::vector<std::string> words = words_in(text);
  if (words.size() < least_words) return {};
  Statement count(database, "SELECT count(*) FROM failure");
  const double entries = count.step() ? static_cast<double>(count.number(0)) : 0;
  std::vector<WeightedWord> weighted;
  for (const std::string& word : words) weighted.push_back({word, weight_of(database, word, entries)});
  std::vector<Similar> near;
  std::vector<Similar> candidates = find_words(database, text);
  candidates.resize(std::min(candidates.size(), most * 2));
  for (const Similar& candidate : candidates) {
    std::size_t found = 0;
    Similar similar = score_entry(database, candidate.id, candidate.title, weighted, found);
    if (found >= least_words && similar.score >= least_share) near.push_back(std::move(similar));
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const Similar& left, const Similar& right) { return left.score > right.score; });
  near.resize(std::min(near.size(), most));
  while (!near.empty() && near.back().score < least_of_best * near.front().score) near.pop_back();
  return near;
}

}  // namespace whyfail::kb
