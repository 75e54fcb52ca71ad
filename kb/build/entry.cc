// TOML → FailureEntry. The only file that reads the form that data/README.md describes.
#include "kb/build/entry.h"

#include <toml++/toml.h>

#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "kb/pattern_rows.h"
#include "kb/release.h"

namespace whyfail::kb {
namespace {

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

// Reads the keys of one table and complains about those that are not understood.
class TableReader {
 public:
  TableReader(Building& building, const std::string& file, const toml::table& table)
      : building_(building), file_(file), table_(table) {}

  std::string text(std::string_view key, bool required = false) {
    const toml::node* node = table_.get(key);
    if (node == nullptr) {
      if (required) complain(line_of(table_), "lacks '" + std::string(key) + "'; add " + std::string(key) + " = \"…\"");
      return {};
    }
    const auto value = node->value_exact<std::string>();
    if (!value) complain(line_of(*node), "'" + std::string(key) + "' is no text; write it in quotes");
    if (value && required && value->empty()) complain(line_of(*node), "'" + std::string(key) + "' is empty");
    return value.value_or("");
  }

  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> values;
    for (LinedText& value : lined_texts(key)) values.push_back(std::move(value.text));
    return values;
  }

  std::vector<LinedText> lined_texts(std::string_view key) {
    std::vector<LinedText> values;
    const toml::node* node = table_.get(key);
    if (node == nullptr) return values;
    const toml::array* array = node->as_array();
    if (array == nullptr)
      complain(line_of(*node),
               "'" + std::string(key) + "' is no list of texts; write " + std::string(key) + " = [\"…\"]");
    if (array == nullptr) return values;
    for (const toml::node& element : *array) {
      const auto value = element.value_exact<std::string>();
      if (value) values.push_back({*value, line_of(element)});
      if (!value) complain(line_of(element), "'" + std::string(key) + "' holds something that is no text");
    }
    return values;
  }

  void known_keys(std::initializer_list<std::string_view> keys) {
    std::string all;
    for (const std::string_view key : keys) all.append(all.empty() ? "" : ", ").append(key);
    for (const auto& [key, node] : table_) {
      bool known = false;
      for (const std::string_view candidate : keys) known = known || key.str() == candidate;
      if (!known) complain(line_of(node), "has the unknown key '" + std::string(key.str()) + "'; known here: " + all);
    }
  }

  void complain(int line, std::string reason) { building_.complain(file_, line, std::move(reason)); }
  const toml::table& table() const { return table_; }
  int line() const { return line_of(table_); }

 private:
  Building& building_;
  const std::string& file_;
  const toml::table& table_;
};

std::vector<const toml::table*> tables(TableReader& reader, std::string_view key) {
  std::vector<const toml::table*> found;
  const toml::node* node = reader.table().get(key);
  if (node == nullptr) return found;
  const toml::array* array = node->as_array();
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
    if (const toml::table* table = array->get_as<toml::table>(i)) found.push_back(table);
  }
  if (array == nullptr || found.size() != array->size()) {
    reader.complain(line_of(*node), "'" + std::string(key) + "' must be written as [[" + std::string(key) + "]]");
  }
  return found;
}

void read_captures(TableReader& reader, matchers::Wording& wording) {
  const toml::node* node = reader.table().get("captures");
  if (node == nullptr) return;
  const toml::table* table = node->as_table();
  if (table == nullptr) return reader.complain(line_of(*node), "'captures' must be { name = \"kind\" }");
  for (const auto& [name, value] : *table) {
    matchers::CaptureKind kind = matchers::CaptureKind::word;
    if (!matchers::parse_capture_kind(value.value_or<std::string_view>(""), kind)) {
      reader.complain(line_of(value), "capture '" + std::string(name.str()) +
                                          "' has no kind; one of word, quoted, path, number, size, list, rest");
    }
    wording.captures[std::string(name.str())] = kind;
  }
}

void read_nearby(TableReader& reader, matchers::Wording& wording) {
  const toml::node* node = reader.table().get("nearby");
  if (node == nullptr) return;
  const toml::table* table = node->as_table();
  if (table == nullptr) return reader.complain(line_of(*node), "'nearby' must be { name = \"expression\" }");
  for (const auto& [name, value] : *table) {
    wording.nearby.emplace_back(name.str(), value.value_or<std::string>(""));
  }
}

bool is_range(const std::string& range) {
  const std::size_t dots = range.find("..");
  const auto first = Release::parse(range.substr(0, dots));
  const auto last = dots == std::string::npos ? first : Release::parse(range.substr(dots + 2));
  return first && last && *first <= *last;
}

// The package's own ranges, then those of `also`: "diffusers 0.33.0..0.42.1". One a line.
std::string read_releases(TableReader& reader, const std::string& package) {
  std::vector<std::string> releases;
  const std::vector<LinedText> own = reader.lined_texts("releases");
  for (const LinedText& range : own) {
    if (!is_range(range.text)) {
      reader.complain(range.line,
                      "'" + range.text + "' is no range of releases; write FIRST..LAST, like 4.25.0..4.57.6");
    }
    releases.push_back(range.text);
  }
  if (!own.empty() && package.empty()) {
    reader.complain(own.front().line,
                    "has releases without 'package'; add package = \"transformers\", or whose they are");
  }
  for (const LinedText& also : reader.lined_texts("also")) {
    const std::size_t blank = also.text.find(' ');
    if (blank == std::string::npos || blank == 0 || !is_range(also.text.substr(blank + 1))) {
      reader.complain(also.line,
                      "'" + also.text + "' is no package with its releases, like 'diffusers 0.33.0..0.42.1'");
    }
    releases.push_back(also.text);
  }
  return joined(releases);
}

WordingEntry read_wording(TableReader reader) {
  reader.known_keys({"text", "pattern", "exceptions", "package", "releases", "also", "captures", "frames",
                     "needs_context", "nearby", "samples", "near"});
  WordingEntry entry;
  entry.line = reader.line();
  entry.wording.text = reader.text("text");
  entry.wording.expression = reader.text("pattern");
  entry.written = entry.wording.text.empty() ? entry.wording.expression : entry.wording.text;
  entry.wording.exceptions = reader.texts("exceptions");
  entry.wording.frames = reader.texts("frames");
  entry.wording.needs_context = reader.table()["needs_context"].value_or(false);
  read_captures(reader, entry.wording);
  read_nearby(reader, entry.wording);
  entry.package = reader.text("package");
  entry.releases = read_releases(reader, entry.package);
  entry.samples = reader.lined_texts("samples");
  entry.near = reader.lined_texts("near");
  if (entry.samples.empty()) {
    reader.complain(entry.line, "the wording has no sample; add samples = [\"…\"], each a pasted exception line");
  }
  return entry;
}

Recipe read_recipe(TableReader reader) {
  Recipe recipe;
  recipe.strategy = reader.text("strategy", true);
  for (const auto& [key, node] : reader.table()) {
    if (key.str() == "strategy") continue;
    recipe.settings.emplace_back(key.str(), reader.text(key.str()));
  }
  return recipe;
}

matchers::Severity read_severity(TableReader& reader) {
  const std::string severity = reader.text("severity", true);
  if (severity == "warning") return matchers::Severity::warning;
  if (severity != "error" && !severity.empty()) {
    reader.complain(line_of(*reader.table().get("severity")), "'severity' is error or warning, not '" + severity + "'");
  }
  return matchers::Severity::error;
}

void read_table(TableReader reader, FailureEntry& entry, Building& building) {
  reader.known_keys(
      {"id", "title", "severity", "what", "why", "advice", "false_beliefs", "aliases", "source", "recipe", "wording"});
  Failure& failure = entry.failure;
  failure.id = reader.text("id", true);
  failure.title = reader.text("title", true);
  failure.severity = read_severity(reader);
  failure.what = reader.text("what", true);
  failure.why = reader.text("why", true);
  failure.advice = reader.text("advice", true);
  failure.false_beliefs = reader.texts("false_beliefs");
  entry.aliases = reader.texts("aliases");
  for (const toml::table* table : tables(reader, "source")) {
    TableReader source(building, entry.file, *table);
    source.known_keys({"title", "url"});
    failure.sources.push_back({source.text("title", true), source.text("url")});
  }
  if (failure.sources.empty()) reader.complain(1, "names no source; add [[source]] with a title");
  for (const toml::table* table : tables(reader, "recipe")) {
    failure.recipes.push_back(read_recipe(TableReader(building, entry.file, *table)));
    building.recipes.push_back({entry.file, line_of(*table), failure.recipes.back().strategy});
  }
  for (const toml::table* table : tables(reader, "wording")) {
    entry.wordings.push_back(read_wording(TableReader(building, entry.file, *table)));
  }
  if (reader.table().get("wording") == nullptr) {
    reader.complain(1, "has no wording; add [[wording]] with text and samples, else nothing is found by it");
  }
}

}  // namespace

FailureEntry read_entry(Building& building, const std::string& file) {
  FailureEntry entry;
  entry.file = file;
  const std::string text = read_data_file(building, file);
  try {
    const toml::table table = toml::parse(text, file);
    read_table(TableReader(building, entry.file, table), entry, building);
  } catch (const toml::parse_error& error) {
    building.complain(file, static_cast<int>(error.source().begin.line),
                      "is no TOML: " + std::string(error.description()));
    return entry;
  }
  const std::string name = std::filesystem::path(file).stem().string();
  if (entry.failure.id != name)
    building.complain(file, 1, "the id '" + entry.failure.id + "' is not the file's name; make both the same");
  return entry;
}

}  // namespace whyfail::kb
