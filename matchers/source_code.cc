// Judges by what stands before a message: on its line, and at the end of the line above.
#include "matchers/source_code.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace whyfail::matchers {
namespace {

constexpr std::size_t longest_key = 64;

bool is_blank(char sign) { return sign == ' ' || sign == '\t' || sign == '\n'; }
bool is_digit(char sign) { return sign >= '0' && sign <= '9'; }
bool is_upper(char sign) { return sign >= 'A' && sign <= 'Z'; }
bool is_lower(char sign) { return sign >= 'a' && sign <= 'z'; }

bool in_name(char sign) { return is_lower(sign) || is_upper(sign) || is_digit(sign) || sign == '_' || sign == '.'; }

std::string_view without_blanks_behind(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// "modeling_utils.py:379:" or "…py-380-", as grep prints lines of source.
bool from_search(std::string_view line) {
  const std::size_t file = line.find(".py");
  if (file == std::string_view::npos || file + 4 >= line.size()) return false;
  const char mark = line[file + 3];
  std::size_t position = file + 4;
  while (position < line.size() && line[position] >= '0' && line[position] <= '9') ++position;
  return (mark == ':' || mark == '-') && position > file + 4 && position < line.size() && line[position] == mark;
}

// "+   " of a diff: what is left of it when nothing but the sign of an added or removed line stands before the text.
bool is_diff_mark(std::string_view text) { return text == "+" || text == "-"; }

bool has_open_parenthesis(std::string_view text) {
  return std::count(text.begin(), text.end(), '(') > std::count(text.begin(), text.end(), ')');
}

// What stands before a string literal that ends `text`, without the literal's quotes and prefix; nullopt: no quote
// does.
std::optional<std::string_view> before_quotes(std::string_view text) {
  while (!text.empty() && (is_blank(text.back()) || text.back() == '`')) text.remove_suffix(1);
  if (text.empty() || (text.back() != '"' && text.back() != '\'')) return std::nullopt;
  while (!text.empty() && (text.back() == '"' || text.back() == '\'')) text.remove_suffix(1);
  const bool prefixed = text.size() >= 2 && std::string_view("fFrRbBuU").find(text.back()) != std::string_view::npos &&
                        !in_name(text[text.size() - 2]);
  if (prefixed || text == "f" || text == "r") text.remove_suffix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Words of keys under which a report has what went wrong.
constexpr std::array<std::string_view, 28> report_words = {
    "err",    "message", "msg",   "exc",    "detail", "reason",  "value",   "text", "log",  "stdout",
    "output", "trace",   "stack", "cause",  "descr",  "body",    "content", "data", "warn", "fail",
    "fault",  "line",    "info",  "result", "respon", "summary", "status",  "title"};

// What is left of a line without indentation, a diff's mark and a list's dash.
std::string_view without_lead(std::string_view line) {
  const std::size_t first = std::min(line.find_first_not_of(" \t+-"), line.size());
  return line.substr(first);
}

struct Key {
  std::string_view name;
  bool quoted = false;
};

// The key of "name": or name: that ends `line`.
std::optional<Key> key_before(std::string_view line) {
  if (line.empty() || line.back() != ':') return std::nullopt;
  line = without_blanks_behind(line.substr(0, line.size() - 1));
  if (line.empty()) return std::nullopt;
  if (line.back() == '"' || line.back() == '\'') {
    const std::size_t open = line.size() < 2 ? std::string_view::npos : line.rfind(line.back(), line.size() - 2);
    if (open == std::string_view::npos || line.size() - open > longest_key) return std::nullopt;
    return Key{line.substr(open + 1, line.size() - open - 2), true};
  }
  const std::string_view name = without_lead(line);
  const bool is_name = !name.empty() && name.size() <= longest_key &&
                       std::all_of(name.begin(), name.end(), [](char sign) { return in_name(sign) || sign == '-'; });
  return is_name ? std::optional(Key{name, false}) : std::nullopt;
}

// "no_folder", "noFolder": a name that nobody writes in prose.
bool is_program_name(std::string_view name) {
  for (std::size_t i = 1; i < name.size(); ++i) {
    if (name[i] == '_' || (is_lower(name[i - 1]) && is_upper(name[i]))) return true;
  }
  return false;
}

// The last line before the one that `position` is in which is not empty.
std::string_view line_above(std::string_view text, std::size_t position) {
  const std::size_t begin = position - before_on_line(text, position).size();
  const std::string_view above = without_blanks_behind(text.substr(0, begin));
  return above.substr(above.rfind('\n') == std::string_view::npos ? 0 : above.rfind('\n') + 1);
}

bool is_indented(std::string_view line) { return !line.empty() && (line.front() == ' ' || line.front() == '\t'); }

// Whether a value of this key only keeps a text. `line`: what stands before the value.
bool keeps_text(std::string_view text, std::size_t position, const Key& key, std::string_view line) {
  if (names_report(key.name)) return false;
  if (key.quoted || is_program_name(key.name)) return true;
  // A plain word: a key only inside of something that is made of keys.
  const std::string_view above = line_above(text, position);
  if (!is_indented(line) || above.empty()) return false;
  return above.back() == ':' || above.back() == '{' || above.back() == ',';
}

// "no_folder: >-": the key of a text that begins on the next line.
std::optional<Key> key_of_block(std::string_view line) {
  while (!line.empty() && (line.back() == '-' || line.back() == '+')) line.remove_suffix(1);
  if (line.empty() || (line.back() != '>' && line.back() != '|')) return std::nullopt;
  return key_before(without_blanks_behind(line.substr(0, line.size() - 1)));
}

bool ends_with_word(std::string_view text, std::string_view word) {
  return text.ends_with(word) && (text.size() == word.size() || !in_name(text[text.size() - word.size() - 1]));
}

// Without quotes: in a comment, in a docstring's list of exceptions, or a text that a catalogue keeps as a block.
bool in_source_unquoted(std::string_view text, std::size_t position, std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first != std::string_view::npos) return first > 0 && line[first] == '#';
  const std::string_view above = line_above(text, position);
  if (!line.empty() && without_lead(above) == "Raises:") return true;
  const std::optional<Key> key = key_of_block(above);
  return !line.empty() && key && !names_report(key->name);
}

}  // namespace

std::string_view before_on_line(std::string_view text, std::size_t position) {
  const std::size_t line_end = text.rfind('\n', position == 0 ? 0 : position - 1);
  const std::size_t begin = line_end == std::string_view::npos || position == 0 ? 0 : line_end + 1;
  return text.substr(std::min(begin, position), position - std::min(begin, position));
}

bool names_report(std::string_view key) {
  std::string lower(key);
  for (char& sign : lower) sign = is_upper(sign) ? static_cast<char>(sign - 'A' + 'a') : sign;
  if (lower.starts_with("expect") || lower.starts_with("known")) return false;
  return std::any_of(report_words.begin(), report_words.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

bool in_source(std::string_view text, std::size_t position) {
  const std::string_view line = before_on_line(text, position);
  if (in_source_unquoted(text, position, line)) return true;
  const std::optional<std::string_view> before = before_quotes(line);
  if (!before) return false;
  if (from_search(line) || is_diff_mark(*before)) return true;
  // A text that continues the text of the line before, or one that a call or an assignment gets.
  if (before->empty()) return line.find_first_not_of(" \t") != 0;
  if (before->back() == '=' || before->back() == '(') return true;
  if (before->back() == ',' && has_open_parenthesis(*before)) return true;
  for (const std::string_view word : {"return", "yield", "msgid", "msgstr"}) {
    if (ends_with_word(*before, word)) return true;
  }
  const std::optional<Key> key = key_before(*before);
  return key && keeps_text(text, position, *key, *before);
}

}  // namespace whyfail::matchers
