// Finds the name of a graphics card in a line: "RTX 4060 Ti", "NVIDIA A100-SXM4-80GB", "RX 7900 XTX", "Arc A770".
#include <algorithm>
#include <cctype>

#include "probes/known_cards.h"
#include "probes/paste/stated.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

struct Word {
  std::size_t begin;
  std::size_t end;
  std::string lower;
};

bool is_word_letter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-'; }

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return word == name; });
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "4x" of "4xA100": a count that is written together with what it counts.
std::size_t length_of_count(std::string_view word) {
  std::size_t digits = 0;
  while (digits < word.size() && word[digits] >= '0' && word[digits] <= '9') ++digits;
  if (digits == 0 || digits > 2 || word[0] == '0' || digits + 1 >= word.size()) return 0;
  return word[digits] == 'x' || word[digits] == 'X' ? digits + 1 : 0;
}

// The next word; names are only part of a word's neighbourhood if nothing but blanks lies between.
std::optional<Word> word_at(std::string_view line, std::size_t at, bool adjacent) {
  std::size_t begin = at;
  while (begin < line.size() && !is_word_letter(line[begin])) {
    if (adjacent && line[begin] != ' ') return std::nullopt;
    ++begin;
  }
  std::size_t end = begin;
  while (end < line.size() && is_word_letter(line[end])) ++end;
  if (begin == end) return std::nullopt;
  begin += length_of_count(line.substr(begin, end - begin));
  return Word{begin, end, lower_case(line.substr(begin, end - begin))};
}

// "3090", "6000", "A6000", "1660Ti"; with the series in front.
bool is_series_number(const std::string& word) {
  std::string_view rest = word;
  if (rest.size() > 4 && (rest[0] == 'a' || rest[0] == 'p' || rest[0] == 'm' || rest[0] == 'k')) rest.remove_prefix(1);
  for (std::string_view suffix : {"ti", "super", "xtx", "xt", "m", "d", "s"}) {
    if (rest.size() > suffix.size() + 2 && rest.ends_with(suffix)) {
      rest.remove_suffix(suffix.size());
      break;
    }
  }
  return (rest.size() == 3 || rest.size() == 4) && all_digits(rest);
}

// Names that stand alone: data-centre cards.
std::string_view vendor_of_model(const std::string& word) {
  std::string model = word.substr(0, word.find('-'));
  if (model.size() > 3 && model.back() == 's' && model != "l40s" && model != "v100s") model.pop_back();  // plural
  if (is_one_of(model,
                {"a100", "a10",  "a10g", "a16",  "a2",    "a30",   "a40",   "a800",  "h100",  "h200",  "h800", "h20",
                 "l4",   "l40",  "l40s", "t4",   "p100",  "v100",  "v100s", "k80",   "p40",   "p4",    "m40",  "m60",
                 "b100", "b200", "b300", "gb10", "gh200", "gb200", "a6000", "a5000", "a4500", "a4000", "a2000"})) {
    return "nvidia";
  }
  if (is_one_of(model, {"mi50", "mi60", "mi100", "mi210", "mi250", "mi250x", "mi300a", "mi300x", "mi325x", "mi355x"})) {
    return "amd";
  }
  return {};
}

bool is_suffix(const std::string& word) {
  return is_one_of(word, {"ti",        "super", "laptop", "mobile", "gpu",         "max-q",  "ada",     "generation",
                          "blackwell", "xt",    "xtx",    "gre",    "workstation", "server", "edition", "d",
                          "pcie",      "sxm",   "sxm2",   "sxm4",   "sxm5",        "nvl",    "x"});
}

struct Parsed {
  std::size_t end = 0;
  std::string vendor;
};

// The model that begins at `word`: a series with its number, or a name of its own.
std::optional<Parsed> model_at(std::string_view line, const Word& word, bool branded) {
  const auto next = word_at(line, word.end, true);
  const auto is_series = [&](std::string_view series) { return word.lower == series; };
  if (is_series("rtx") || is_series("gtx") || is_series("gt") || is_series("rx")) {
    const std::string vendor = is_series("rx") ? "amd" : "nvidia";
    if (next && is_series_number(next->lower)) return Parsed{next->end, vendor};
    if (next && next->lower == "pro") {
      const auto number = word_at(line, next->end, true);
      if (number && is_series_number(number->lower)) return Parsed{number->end, vendor};
    }
    return std::nullopt;
  }
  for (std::string_view series : {"rtx", "gtx", "rx"}) {
    if (word.lower.starts_with(series) && is_series_number(word.lower.substr(series.size()))) {
      return Parsed{word.end, series == "rx" ? "amd" : "nvidia"};
    }
  }
  if (is_series("titan") && next && is_one_of(next->lower, {"rtx", "v", "x", "xp"})) return Parsed{next->end, "nvidia"};
  if (is_series("arc") && next && next->lower.size() >= 4 && (next->lower[0] == 'a' || next->lower[0] == 'b') &&
      all_digits(std::string_view(next->lower).substr(1, 3))) {
    return Parsed{next->end, "intel"};
  }
  if (const auto vendor = vendor_of_model(word.lower); !vendor.empty()) return Parsed{word.end, std::string(vendor)};
  if (branded && is_series_number(word.lower)) return Parsed{word.end, {}};
  return std::nullopt;
}

std::string_view vendor_of_brand(const std::string& word) {
  if (is_one_of(word, {"nvidia", "geforce", "quadro", "tesla"})) return "nvidia";
  if (is_one_of(word, {"amd", "radeon", "instinct"})) return "amd";
  return word == "intel" ? "intel" : std::string_view();
}

std::optional<NamedCard> name_at(std::string_view line, const Word& first) {
  Word word = first;
  std::string vendor;
  for (int brands = 0; brands < 4; ++brands) {
    const auto brand = vendor_of_brand(word.lower);
    const bool filler = !vendor.empty() && is_one_of(word.lower, {"r", "tm", "pro", "graphics"});
    if (brand.empty() && !filler) break;
    if (vendor.empty()) vendor = brand;
    const auto next = word_at(line, word.end, true);
    if (!next) return std::nullopt;
    word = *next;
  }
  auto model = model_at(line, word, !vendor.empty());
  if (!model) return std::nullopt;
  std::size_t end = model->end;
  for (auto next = word_at(line, end, true); next && is_suffix(next->lower); next = word_at(line, end, true)) {
    end = next->end;
  }
  if (line[end - 1] == 's' && !known_card(line.substr(first.begin, end - first.begin)) &&
      known_card(line.substr(first.begin, end - 1 - first.begin))) {
    --end;  // "two RTX 3090s"
  }
  return NamedCard{first.begin, end, vendor.empty() ? model->vendor : vendor};
}

}  // namespace

std::optional<NamedCard> card_name(std::string_view line, std::size_t from) {
  for (auto word = word_at(line, from, false); word; word = word_at(line, word->end, false)) {
    // Part of an identifier, a path or a URL is no name.
    const char before = word->begin == 0 ? ' ' : line[word->begin - 1];
    if (before == '_' || before == '.' || before == '\\' || before == '"' || before == '\'') continue;
    if (auto found = name_at(line, *word)) return found;
  }
  return std::nullopt;
}

std::string vendor_of(std::string_view card) {
  const auto words = fields_of(card);
  if (const auto found = card_name(card, 0)) return found->vendor;
  return words.empty() ? std::string() : std::string(vendor_of_brand(lower_case(words[0])));
}

}  // namespace whyfail::probes::paste
