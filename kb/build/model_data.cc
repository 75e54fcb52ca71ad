// data/size_templates, data/architectures and data/catalogue → their tables, as JSON text.
#include <toml++/toml.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "kb/build/building.h"

namespace whyfail::kb {
namespace {

using Json = nlohmann::json;

Json parse(Building& building, const std::string& file) {
  Json json = Json::parse(read_data_file(building, file), nullptr, false);
  if (json.is_discarded()) building.complain(file, 0, "is no JSON");
  return json;
}

std::string stem(const std::string& file) { return std::filesystem::path(file).stem().string(); }

// "llama@4.57.6" is the tree of transformers 4, "llama" that of 5; _index.json says for which types both are the same.
void import_templates(Building& building) {
  Json index = Json::object();
  std::vector<std::string> files = data_files(building.folder, "size_templates", ".json");
  for (const std::string& file : files) {
    if (stem(file) == "_index") index = parse(building, file);
  }
  Statement insert(building.database, "INSERT OR IGNORE INTO size_template VALUES (?, ?, ?)");
  for (const std::string& file : files) {
    const std::string name = stem(file);
    if (name.front() == '_') continue;
    const Json json = parse(building, file);
    if (!json.is_object()) continue;
    const std::size_t at = name.find('@');
    const std::string type = name.substr(0, at);
    const std::string text = json.dump();
    insert.bind(type).bind(std::int64_t{at == std::string::npos ? 5 : 4}).bind(text).run();
    const Json entry = index.is_object() ? index.value(type, Json::object()) : Json::object();
    const std::string older = entry.is_object() ? entry.value("in_4.57.6", std::string()) : std::string();
    if (at == std::string::npos && older.rfind("same tree", 0) == 0) {
      insert.bind(type).bind(std::int64_t{4}).bind(text).run();
    }
  }
}

void import_architectures(Building& building) {
  Statement insert(building.database, "INSERT INTO architecture VALUES (?, ?)");
  for (const std::string& file : data_files(building.folder, "architectures", ".json")) {
    if (stem(file).front() == '_') continue;
    const Json json = parse(building, file);
    if (json.is_object()) insert.bind(stem(file)).bind(json.dump()).run();
  }
}

Json catalogue_file(Building& building, const std::string& file, bool is_toml) {
  if (!is_toml) return parse(building, file);
  try {
    const toml::table table = toml::parse(read_data_file(building, file), file);
    std::ostringstream text;
    text << toml::json_formatter{table};
    return Json::parse(text.str(), nullptr, false);
  } catch (const toml::parse_error& error) {
    building.complain(file, static_cast<int>(error.source().begin.line), std::string(error.description()));
    return {};
  }
}

void import_catalogue(Building& building) {
  Statement insert(building.database, "INSERT OR IGNORE INTO catalogue VALUES (?, ?)");
  for (const char* suffix : {".json", ".toml"}) {
    for (const std::string& file : data_files(building.folder, "catalogue", suffix)) {
      const Json models = catalogue_file(building, file, suffix == std::string(".toml"));
      if (!models.is_object()) continue;
      for (const auto& [id, facts] : models.items()) insert.bind(id).bind(facts.dump()).run();
    }
  }
}

}  // namespace

void import_models(Building& building) {
  import_templates(building);
  import_architectures(building);
  import_catalogue(building);
}

}  // namespace whyfail::kb
