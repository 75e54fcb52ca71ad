// How much of what a text says is in an entry: rare words say more, and what stands in a title or alias counts more
// than what stands in a library's wording.
#include "kb/words.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace whyfail::kb {
namespace {

// Of the weight of all that a text says, so much must be in an entry.
constexpr double least_share = 0.5;
constexpr std::size_t least_words = 3;
constexpr std::size_t least_groups = 2;
// A group counts for an entry that has so much of it.
constexpr double least_of_group = 0.4;
// An entry that is so much worse than the best one only distracts from it.
constexpr double least_of_best = 0.7;
// What is in no entry may be a name, or show that the text speaks of something else.
constexpr double unknown_part = 0.35;
constexpr double wording_part = 0.6;
// For entries whose title the text covers.
constexpr double title_bonus = 0.15;
constexpr std::size_t shortest_title = 4;  // words

// Where an entry has a word.
struct Place {
  bool in_title = false;
  bool in_alias = false;
  double part() const { return in_title || in_alias ? 1 : wording_part; }
};
using Holders = std::map<std::string, Place>;  // by the entry's id

void each_holder(const Database& database, const std::string& query_text, Holders& holders, bool Place::*member) {
  Statement query(database, "SELECT id FROM words WHERE words MATCH ?");
  for (query.bind(query_text); query.step();) {
    Place& place = holders[query.text(0)];
    if (member != nullptr) place.*member = true;
  }
}

// The words of all groups are asked for once.
class Index {
 public:
  explicit Index(const Database& database) : database_(database) {
    Statement count(database, "SELECT count(*) FROM failure");
    entries_ = count.step() ? static_cast<double>(count.number(0)) : 0;
  }

  const Holders& holders(const std::string& word) {
    const auto [known, fresh] = holders_.try_emplace(word);
    if (fresh) {
      const std::string quoted = "\"" + word + "\"";
      each_holder(database_, quoted, known->second, nullptr);
      if (!known->second.empty()) {
        each_holder(database_, "title:" + quoted, known->second, &Place::in_title);
        each_holder(database_, "aliases:" + quoted, known->second, &Place::in_alias);
      }
    }
    return known->second;
  }
  double weight(std::size_t holding) const {
    return std::log((entries_ + 1) / (static_cast<double>(holding) + 1)) + 0.1;
  }

 private:
  const Database& database_;
  double entries_ = 0;
  std::map<std::string, Holders> holders_;
};

struct Score {
  double sum = 0;
  std::size_t groups = 0;
  std::size_t words = 0;
  std::size_t title_words = 0;
};

// Adds what the entries have of one group; returns the group's weight.
double add_group(Index& index, const std::vector<std::string>& group, std::map<std::string, Score>& scores) {
  double heaviest = 0;
  double all = 0;
  for (const std::string& word : group) {
    const Holders& holders = index.holders(word);
    if (holders.empty()) continue;
    heaviest = std::max(heaviest, index.weight(holders.size()));
    all += index.weight(holders.size());
  }
  if (all <= 0) return index.weight(0) * unknown_part;
  std::map<std::string, double> parts;
  for (const std::string& word : group) {
    const Holders& holders = index.holders(word);
    for (const auto& [id, place] : holders) {
      parts[id] += index.weight(holders.size()) / all * place.part();
      ++scores[id].words;
      if (place.in_title) ++scores[id].title_words;
    }
  }
  for (const auto& [id, part] : parts) {
    scores[id].sum += heaviest * part;
    if (part >= least_of_group) ++scores[id].groups;
  }
  return heaviest;
}

std::size_t words_in(std::string_view title) {
  return static_cast<std::size_t>(std::count(title.begin(), title.end(), ' ')) + 1;
}

struct Scored {
  Similar similar;
  double share = 0;
  Score score;
};

std::vector<Scored> score_all(const Database& database, const Described& described) {
  Index index(database);
  std::map<std::string, Score> scores;
  double all = static_cast<double>(described.unknown) * index.weight(0) * unknown_part;
  for (const std::vector<std::string>& group : described.groups) all += add_group(index, group, scores);
  std::vector<Scored> found;
  for (const auto& [id, score] : scores) {
    Statement query(database, "SELECT title FROM failure WHERE id = ?");
    if (all <= 0 || !query.bind(id).step()) continue;
    Scored scored{{id, query.text(0), 0}, score.sum / all, score};
    const double covered = static_cast<double>(score.title_words) /
                           static_cast<double>(std::max(shortest_title, words_in(scored.similar.title)));
    scored.similar.score = std::min(1.0, std::round((scored.share + title_bonus * covered) * 100) / 100);
    found.push_back(std::move(scored));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Scored& left, const Scored& right) { return left.similar.score > right.similar.score; });
  return found;
}

}  // namespace

std::vector<Similar> find_words(const Database& database, const Described& described) {
  std::vector<Similar> found;
  for (Scored& scored : score_all(database, described)) found.push_back(std::move(scored.similar));
  return found;
}

std::vector<Similar> find_similar(const Database& database, const Described& described, std::size_t most) {
  std::vector<Similar> near;
  if (described.groups.size() < least_groups) return near;
  for (Scored& scored : score_all(database, described)) {
    if (near.size() == most) break;
    if (scored.share < least_share || scored.score.groups < least_groups || scored.score.words < least_words) continue;
    if (!near.empty() && scored.similar.score < least_of_best * near.front().score) break;
    near.push_back(std::move(scored.similar));
  }
  return near;
}

}  // namespace whyfail::kb
