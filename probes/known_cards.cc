// The catalogue of card names, read from the data inside the program when a name is looked up first.
#include "probes/known_cards.h"

#include <toml++/toml.h>

#include <algorithm>
#include <map>

#include "probes/text_lines.h"

namespace whyfail::probes {

extern const char* const gpu_catalogue_text;  // made from data/gpus.toml when the program is built

namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30U;
using Catalogue = std::map<std::string, KnownCard, std::less<>>;

std::string text_of(const toml::table& table, std::string_view key) { return table[key].value_or(std::string()); }

Catalogue read_catalogue() {
  Catalogue catalogue;
  const toml::table data = toml::parse(gpu_catalogue_text);
  const toml::array* groups = data["group"].as_array();
  if (groups == nullptr) return catalogue;
  for (const toml::node& entry : *groups) {
    const toml::table& group = *entry.as_table();
    const toml::table* cards = group["memory"].as_table();
    if (cards == nullptr) continue;
    for (const auto& [name, sizes] : *cards) {
      KnownCard card{text_of(group, "vendor"), {}, text_of(group, "capability"), text_of(group, "source")};
      const toml::array* list = sizes.as_array();
      for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        card.bytes.push_back(static_cast<std::uint64_t>((*list)[i].value_or(std::int64_t{0})) * gibibyte);
      }
      catalogue.emplace(std::string(name.str()), std::move(card));
    }
  }
  return catalogue;
}

const Catalogue& catalogue() {
  static const Catalogue all = read_catalogue();
  return all;
}

bool is_brand(const std::string& word) {
  for (std::string_view brand : {"nvidia", "geforce", "tesla", "amd", "radeon", "instinct", "intel", "intel(r)", "gpu",
                                 "graphics", "generation", "edition", "workstation", "server", "mobile", "max", "q"}) {
    if (word == brand) return true;
  }
  return false;
}

// Words in lower case without brands; a word that joins series and number ("rtx3090") is taken apart.
std::vector<std::string> words_of(std::string_view name) {
  std::string plain = lower_case(name);
  std::replace(plain.begin(), plain.end(), '-', ' ');
  std::vector<std::string> words;
  for (std::string_view field : fields_of(plain)) {
    std::string word(field);
    if (word.ends_with("(tm)")) word.resize(word.size() - 4);
    if (is_brand(word)) continue;
    for (std::string_view series : {"rtx", "gtx", "rx"}) {
      if (!word.starts_with(series) || word.size() == series.size()) continue;
      words.emplace_back(series);
      word = word.substr(series.size());
    }
    words.push_back(word);
  }
  return words;
}

// "80gb" of "a100 sxm4 80gb".
std::optional<std::uint64_t> size_word(const std::string& word) {
  if (!word.ends_with("gb")) return std::nullopt;
  const auto number = number_of(std::string_view(word).substr(0, word.size() - 2));
  if (!number || *number > 4096) return std::nullopt;
  return *number * gibibyte;
}

}  // namespace

std::optional<KnownCard> known_card(std::string_view name) {
  if (name.size() > 200 || name.ends_with("...")) return std::nullopt;
  std::vector<std::string> words = words_of(name);
  std::optional<std::uint64_t> size;
  // Data-centre cards carry form and size behind the model: "a100 sxm4 80gb", "h100 pcie".
  while (!words.empty()) {
    std::string key;
    for (const std::string& word : words) key += (key.empty() ? "" : " ") + word;
    const auto found = catalogue().find(key);
    if (found != catalogue().end()) {
      KnownCard card = found->second;
      if (size && std::find(card.bytes.begin(), card.bytes.end(), *size) != card.bytes.end()) card.bytes = {*size};
      return card;
    }
    const std::string& last = words.back();
    const auto named = size_word(last);
    const bool form = last == "pcie" || last == "nvl" || last.starts_with("sxm") || last == "fhhl";
    if (!named && !form) return std::nullopt;
    if (named) size = named;
    words.pop_back();
  }
  return std::nullopt;
}

std::size_t known_cards() { return catalogue().size(); }

}  // namespace whyfail::probes
