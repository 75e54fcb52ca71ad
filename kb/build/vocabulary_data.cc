// data/vocabulary.toml → the table vocabulary.
#include <toml++/toml.h>

#include <filesystem>
#include <string>

#include "kb/build/building.h"

namespace whyfail::kb {
namespace {

constexpr const char* vocabulary_file = "vocabulary.toml";

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

// Adds every text of a list with what it stands for; one that is there already keeps its meaning.
void insert_said(Building& building, const toml::node* list, const std::string& means, int line) {
  const toml::array* said = list == nullptr ? nullptr : list->as_array();
  if (said == nullptr) {
    building.complain(vocabulary_file, line, "a [[word]] needs said = [\"…\"], the list of what people say");
    return;
  }
  Statement insert(building.database, "INSERT OR IGNORE INTO vocabulary VALUES (?, ?)");
  for (const toml::node& element : *said) {
    const auto text = element.value_exact<std::string>();
    if (!text || text->empty()) {
      building.complain(vocabulary_file, line_of(element), "the list holds something that is no text");
      continue;
    }
    insert.bind(*text).bind(means).run();
  }
}

}  // namespace

void import_vocabulary(Building& building) {
  std::error_code error;
  if (!std::filesystem::exists(building.folder / vocabulary_file, error)) return;
  try {
    const toml::table table = toml::parse(read_data_file(building, vocabulary_file), std::string(vocabulary_file));
    if (const toml::array* words = table["word"].as_array()) {
      for (const toml::node& element : *words) {
        const toml::table* word = element.as_table();
        const std::string means = word == nullptr ? "" : (*word)["means"].value_or(std::string());
        if (means.empty()) {
          building.complain(vocabulary_file, line_of(element), "a [[word]] needs means = \"…\", words of the entries");
          continue;
        }
        insert_said(building, word->get("said"), means, line_of(element));
      }
    }
    if (const toml::node* filler = table.get("filler")) insert_said(building, filler, "", line_of(*filler));
  } catch (const toml::parse_error& refused) {
    building.complain(vocabulary_file, static_cast<int>(refused.source().begin.line),
                      "is no TOML: " + std::string(refused.description()));
  }
}

}  // namespace whyfail::kb
