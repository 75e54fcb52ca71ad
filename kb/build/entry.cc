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
      if (required) complain(line_of(table_), "lacks '" + std::string(key) + "'");
      return {};
    }
    const auto value = node->value_exact<std::string>();
    if (!value) complain(line_of(*node), "'" + std::string(key) + "' is no text");
    if (value && required && value->empty()) complain(line_of(*node), "'" + std::string(key) + "' is empty");
    return value.value_or("");
  }

  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> values;
    const toml::node* node = table_.get(key);
    if (node == nullptr) return values;
    const toml::array* array = node->as_array();
    if (array == nullptr) complain(line_of(*node), "'" + std::string(key) + "' is no list of texts");
    if (array == nullptr) return values;
    for (const toml::node& element : *array) {
      const auto value = element.value_exact<std::string>();
      if (value) values.push_back(*value);
      if (!value) complain(line_of(element), "'" + std::string(key) + "' holds something that is no text");
    }
    return values;
  }

  void known_keys(std::initializer_list<std::string_view> keys) {
    for (const auto& [key, node] : table_) {
      bool known = false;
      for (const std::string_view candidate : keys) known = known || key.str() == candidate;
      if (!known) complain(line_of(node), "has the unknown key '" + std::string(key.str()) + "'");
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

void check_releases(TableReader& reader, const std::vector<std::string>& ranges, const std::string& package) {
  for (std::string range : ranges) {
    range.erase(0, range.find(' ') + 1);  // `also` names the package before the range
    const std::size_t dots = range.find("..");
    const auto first = Release::parse(range.substr(0, dots));
    const auto last = dots == std::string::npos ? first : Release::parse(range.substr(dots + 2));
    if (!first || !last || *last < *first) {
      reader.complain(reader.line(), "'" + range + "' is no range of releases like 4.25.0..4.57.6");
    }
  }
  if (!ranges.empty() && package.empty()) reader.complain(reader.line(), "has releases without 'package'");
}

// Further packages that say the same: "diffusers 0.33.0..0.42.1".
void read_also(TableReader& reader, std::string& releases) {
  for (const std::string& also : reader.texts("also")) {
    const std::size_t blank = also.find(' ');
    check_releases(reader, {also.substr(blank == std::string::npos ? 0 : blank + 1)}, also.substr(0, blank));
    releases += "\n" + also;
  }
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
  std::vector<std::string> releases = reader.texts("releases");
  for (const std::string& other : reader.texts("also")) releases.push_back(other);
  check_releases(reader, releases, entry.package);
  entry.releases = joined(releases);
  read_also(reader, entry.releases);
  entry.samples = reader.texts("samples");
  entry.near = reader.texts("near");
  if (entry.samples.empty()) reader.complain(entry.line, "the wording has no sample");
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
  }
  for (const toml::table* table : tables(reader, "wording")) {
    entry.wordings.push_back(read_wording(TableReader(building, entry.file, *table)));
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
    building.complain(file, static_cast<int>(error.source().begin.line), std::string(error.description()));
    return entry;
  }
  const std::string name = std::filesystem::path(file).stem().string();
  if (entry.failure.id != name) building.complain(file, 1, "the id '" + entry.failure.id + "' is not the file's name");
  return entry;
}

}  // namespace whyfail::kb
