// Matches names with the catalogue: exactly, by the last part of a path, then by the run of words in the name that is
// a known one ("Llama-3-8B" in "llama-3-8b-instruct-262k-GPTQ").
#include "fixer/model/catalogue.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace whyfail::fixer {

namespace {

constexpr std::size_t longest_name = 500;
constexpr std::size_t most_words = 14;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::vector<std::string> path_parts(std::string_view path) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : path) {
    if (c != '/' && c != '\\') {
      part += c;
    } else if (!part.empty()) {
      parts.push_back(std::exchange(part, {}));
    }
  }
  if (!part.empty()) parts.push_back(part);
  return parts;
}

// "models--meta-llama--Llama-2-7b-hf" in a cache path is "meta-llama/Llama-2-7b-hf".
std::optional<std::string> id_in_cache_path(const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (!part.starts_with("models--")) continue;
    std::string id = part.substr(8);
    const std::size_t mark = id.find("--");
    if (mark != std::string::npos) id.replace(mark, 2, "/");
    return id;
  }
  return std::nullopt;
}

struct Word {
  std::size_t begin;
  std::size_t end;
};

std::vector<Word> words_of(std::string_view name) {
  std::vector<Word> words;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (i < name.size() && name[i] != '-' && name[i] != '_') continue;
    if (i > begin) words.push_back({begin, i});
    begin = i + 1;
  }
  return words;
}

// A row, or the row that another name points to.
std::optional<CatalogueHit> row(const std::string& id, const ModelData& data) {
  std::string at = id;
  for (int step = 0; step < 3; ++step) {
    auto text = data.catalogue(at);
    if (!text) return std::nullopt;
    const auto json = nlohmann::json::parse(*text, nullptr, false);
    if (!json.is_object()) return std::nullopt;
    const auto other = json.find("same_as");
    if (other == json.end() || !other->is_string()) return CatalogueHit{std::move(*text), at, true, ""};
    at = other->get<std::string>();
  }
  return std::nullopt;
}

// Whether a run of words holds a size ("7b", "1.5b", "small", "xl"): without one it names a family, not a model.
bool names_a_size(std::string_view words) {
  if (parameters_in_name(words)) return true;
  for (const Word& word : words_of(words)) {
    const std::string_view text = words.substr(word.begin, word.end - word.begin);
    for (const std::string_view size : {"small", "base", "medium", "large", "xl", "xxl", "mini", "tiny"}) {
      if (text == size) return true;
    }
  }
  return false;
}

std::optional<CatalogueHit> by_words(const std::string& name, const ModelData& data) {
  auto words = words_of(name);
  if (words.size() > most_words) words.resize(most_words);
  for (std::size_t length = words.size(); length > 0; --length) {
    for (std::size_t first = 0; first + length <= words.size(); ++first) {
      std::string run = name.substr(words[first].begin, words[first + length - 1].end - words[first].begin);
      std::replace(run.begin(), run.end(), '_', '-');
      if (run.size() < 4 || !names_a_size(run)) continue;
      if (auto hit = row(run, data)) {
        hit->same_model = length == words.size();
        return hit;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<CatalogueHit> look_up(std::string_view name, const ModelData& data) {
  if (name.empty() || name.size() > longest_name) return std::nullopt;
  const auto parts = path_parts(name);
  if (parts.empty()) return std::nullopt;
  const std::string last = lower(parts.back());
  std::vector<std::string> exact = {lower(name)};
  if (const auto id = id_in_cache_path(parts)) exact.push_back(lower(*id));
  if (parts.size() >= 2) exact.push_back(lower(parts[parts.size() - 2]) + "/" + last);
  exact.push_back(last);
  for (const std::string& id : exact) {
    if (auto hit = row(id, data)) return hit;
  }
  const auto id = id_in_cache_path(parts);
  const std::string words = id ? lower(path_parts(*id).back()) : last;
  auto hit = by_words(words, data);
  if (hit) hit->quantization = quantization_in_name(name);
  return hit;
}

std::string quantization_in_name(std::string_view name) {
  // A method comes before a width that says nothing about the method.
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 27> marks = {
      {{"awq", "awq"},
       {"gptq", "gptq"},
       {"fp8", "fp8"},
       {"bnb", "bitsandbytes"},
       {"nf4", "bitsandbytes"},
       {"w4a16", "compressed-tensors"},
       {"w8a8", "compressed-tensors"},
       {"w8a16", "compressed-tensors"},
       {"nvfp4", "nvfp4"},
       {"mxfp4", "mxfp4"},
       {"gguf", "gguf"},
       {"ggml", "gguf"},
       {"exl2", "exl2"},
       {"exl3", "exl3"},
       {"aqlm", "aqlm"},
       {"hqq", "hqq"},
       {"eetq", "eetq"},
       {"mlx", "mlx"},
       {"4bit", "unknown"},
       {"8bit", "unknown"},
       {"4bits", "unknown"},
       {"8bits", "unknown"},
       {"int4", "unknown"},
       {"int8", "unknown"},
       {"2bit", "unknown"},
       {"3bit", "unknown"},
       {"6bit", "unknown"}}};
  std::string text = lower(name.substr(0, longest_name));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '/' || c == '\\' || c == '.' || c == ' '; }, '-');
  const auto words = words_of(text);
  for (const auto& [mark, method] : marks) {
    for (const Word& word : words) {
      if (std::string_view(text).substr(word.begin, word.end - word.begin) == mark) return std::string(method);
    }
  }
  return "";
}

namespace {
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Reads "70", "1.5" at `at`; 0: no number of a size that models have.
double read_number(std::string_view text, std::size_t& at) {
  double value = 0;
  int digits = 0;
  for (; at < text.size() && is_digit(text[at]); ++at, ++digits) value = value * 10 + (text[at] - '0');
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    double scale = 0.1;
    for (++at; at < text.size() && is_digit(text[at]); ++at, ++digits, scale /= 10) value += scale * (text[at] - '0');
  }
  return digits <= 6 ? value : 0;
}
}  // namespace

std::optional<std::uint64_t> parameters_in_name(std::string_view name) {
  const std::string text = lower(name.substr(0, longest_name));
  const bool mixture = text.find("moe") != std::string::npos;
  std::optional<std::uint64_t> found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i]) || (i > 0 && (is_digit(text[i - 1]) || text[i - 1] == '.' || is_letter(text[i - 1]))))
      continue;
    std::size_t at = i;
    double value = read_number(text, at);
    if (at + 1 < text.size() && text[at] == 'x' && is_digit(text[at + 1])) {
      ++at;
      value *= read_number(text, at);
    }
    if (at >= text.size() || value <= 0) continue;
    const bool word_ends = at + 1 >= text.size() || (!is_letter(text[at + 1]) && !is_digit(text[at + 1]));
    if (text[at] == 'e' && word_ends) return std::nullopt;  // experts: the other figure counts what one token uses
    const double unit = text[at] == 'b' ? 1e9 : text[at] == 'm' ? 1e6 : 0;
    if (unit == 0 || !word_ends) continue;
    const double parameters = value * unit;
    if (parameters >= 1e13) continue;
    const auto whole = static_cast<std::uint64_t>(parameters + 0.5);
    if (!found || (mixture && whole > *found)) found = whole;
  }
  return found;
}

}  // namespace whyfail::fixer
