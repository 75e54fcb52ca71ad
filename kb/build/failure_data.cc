// data/failures → the tables failure, failure_*, pattern, sample and words.
#include <map>
#include <variant>

#include "kb/build/building.h"
#include "kb/build/entry.h"
#include "kb/pattern_rows.h"
#include "matchers/anchors.h"
#include "matchers/wording.h"

namespace whyfail::kb {
namespace {

// A wording with the entry it belongs to, until all are known and anchors can be chosen.
struct Pending {
  const FailureEntry* entry;
  const WordingEntry* wording;
};

void insert_list(Building& building, const std::string& id, const char* kind, const std::vector<std::string>& texts) {
  Statement insert(building.database, "INSERT INTO failure_text VALUES (?, ?, ?, ?)");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    insert.bind(id).bind(kind).bind(static_cast<std::int64_t>(i)).bind(texts[i]).run();
  }
}

void insert_failure(Building& building, const FailureEntry& entry) {
  const Failure& failure = entry.failure;
  const char* severity = failure.severity == matchers::Severity::warning ? "warning" : "error";
  Statement insert(building.database, "INSERT INTO failure VALUES (?, ?, ?, ?, ?, ?, ?)");
  insert.bind(failure.id).bind(failure.title).bind(severity).bind(failure.what).bind(failure.why);
  insert.bind(failure.advice).bind(entry.file).run();
  insert_list(building, failure.id, "false_belief", failure.false_beliefs);
  insert_list(building, failure.id, "alias", entry.aliases);
  Statement source(building.database, "INSERT INTO failure_source VALUES (?, ?, ?, ?)");
  for (std::size_t i = 0; i < failure.sources.size(); ++i) {
    source.bind(failure.id).bind(static_cast<std::int64_t>(i));
    source.bind(failure.sources[i].title).bind(failure.sources[i].url).run();
  }
  Statement recipe(building.database, "INSERT INTO failure_recipe VALUES (?, ?, ?, ?)");
  for (std::size_t i = 0; i < failure.recipes.size(); ++i) {
    std::string settings;
    for (const auto& [key, value] : failure.recipes[i].settings) settings += key + '\x1f' + value + '\x1e';
    recipe.bind(failure.id).bind(static_cast<std::int64_t>(i)).bind(failure.recipes[i].strategy).bind(settings).run();
  }
}

void insert_words(Building& building, const FailureEntry& entry) {
  std::string wordings;
  for (const WordingEntry& wording : entry.wordings) wordings += wording.written + "\n";
  Statement insert(building.database, "INSERT INTO words (id, title, wording, aliases) VALUES (?, ?, ?, ?)");
  insert.bind(entry.failure.id).bind(entry.failure.title).bind(wordings).bind(joined(entry.aliases)).run();
}

void insert_samples(Building& building, std::int64_t pattern, const char* kind, const std::vector<LinedText>& texts) {
  Statement insert(building.database, "INSERT INTO sample VALUES (?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    insert.bind(pattern).bind(kind).bind(static_cast<std::int64_t>(i)).bind(texts[i].text);
    insert.bind(std::int64_t{texts[i].line}).run();
  }
}

// Compiles what can be compiled; the two lists stay parallel.
void compile_entry(Building& building, const FailureEntry& entry, std::vector<matchers::Pattern>& patterns,
                   std::vector<Pending>& pending) {
  for (const WordingEntry& wording : entry.wordings) {
    auto compiled = matchers::compile_wording(wording.wording);
    if (const auto* error = std::get_if<matchers::WordingError>(&compiled)) {
      building.complain(entry.file, wording.line, "the wording " + error->reason);
      continue;
    }
    auto& pattern = std::get<matchers::Pattern>(compiled);
    const std::size_t cost = matchers::expression_cost(pattern.expression);
    if (cost == 0 || cost > matchers::kCostLimit) {
      building.complain(entry.file, wording.line,
                        "the wording is expensive to compile (" + std::to_string(cost) + " instructions, at most " +
                            std::to_string(matchers::kCostLimit) + ")");
      continue;
    }
    pattern.id = static_cast<std::int64_t>(patterns.size()) + 1;
    pattern.failure = entry.failure.id;
    pattern.severity = entry.failure.severity;
    patterns.push_back(std::move(pattern));
    pending.push_back({&entry, &wording});
  }
}

}  // namespace

void import_failures(Building& building) {
  std::vector<FailureEntry> entries;
  std::map<std::string, std::string> files;
  for (const std::string& file : data_files(building.folder, "failures", ".toml")) {
    FailureEntry entry = read_entry(building, file);
    if (entry.failure.id.empty()) continue;
    const auto [known, fresh] = files.emplace(entry.failure.id, file);
    if (!fresh)
      building.complain(file, 1,
                        "the id '" + entry.failure.id + "' is that of " + known->second + "; ids are given once");
    if (fresh) entries.push_back(std::move(entry));
  }
  std::vector<matchers::Pattern> patterns;
  std::vector<Pending> pending;
  for (const FailureEntry& entry : entries) {
    insert_failure(building, entry);
    insert_words(building, entry);
    compile_entry(building, entry, patterns, pending);
  }
  for (const std::size_t index : matchers::choose_anchors(patterns)) {
    building.complain(pending[index].entry->file, pending[index].wording->line,
                      "the wording has no text of four letters that every match contains");
  }
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (patterns[i].anchor.empty()) continue;
    const WordingEntry& wording = *pending[i].wording;
    insert_pattern(building.database, {patterns[i], wording.written, wording.package, wording.releases, wording.line});
    insert_samples(building, patterns[i].id, "sample", wording.samples);
    insert_samples(building, patterns[i].id, "near", wording.near);
  }
}

}  // namespace whyfail::kb
