// Runs the importers one after the other over an empty database and puts the image together.
#include "kb/build/build.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <tuple>

#include "kb/build/checks.h"
#include "kb/build/coverage.h"
#include "kb/build/schema.h"
#include "kb/image_layout.h"

namespace whyfail::kb {
namespace {

using Importer = void (*)(Building&);

// One a kind of data; each lives in its own file of this folder.
const Importer importers[] = {import_failures, import_models, import_releases, import_vocabulary};

int count(const Database& database, const char* table) {
  Statement query(database, std::string("SELECT count(*) FROM ") + table);
  return query.step() ? static_cast<int>(query.number(0)) : 0;
}

}  // namespace

std::vector<std::string> data_files(const std::filesystem::path& folder, const std::string& part,
                                    const std::string& suffix) {
  std::vector<std::string> files;
  std::error_code error;
  auto walk = std::filesystem::recursive_directory_iterator(folder / part, error);
  for (const auto end = std::filesystem::recursive_directory_iterator(); !error && walk != end; walk.increment(error)) {
    const std::string name = walk->path().filename().string();
    if (!walk->is_regular_file() || name.size() < suffix.size() || name.front() == '.') continue;
    if (name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0) continue;
    files.push_back(walk->path().lexically_relative(folder).generic_string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read_data_file(Building& building, const std::string& file) {
  std::ifstream stream(building.folder / file, std::ios::binary);
  if (!stream) {
    building.complain(file, 0, "cannot be read");
    return {};
  }
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

BuildResult build_image(const std::filesystem::path& folder) {
  BuildResult result;
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    result.findings.push_back({"", 0, "is no folder; give the folder that holds failures/"});
    return result;
  }
  if (!std::filesystem::is_directory(folder / "failures", error)) {
    result.findings.push_back({"", 0, "holds no folder failures/; entries are read from failures/FAMILY/ID.toml"});
    return result;
  }
  Database database = Database::in_memory();
  Building building{folder, database, result.findings, result.recipes};
  try {
    database.execute("PRAGMA page_size = 4096; BEGIN;");
    database.execute(std::string(schema()));
    Statement(database, "INSERT INTO about VALUES ('format', ?)").bind(format_version).run();
    for (const Importer importer : importers) importer(building);
    check_patterns(building);
    database.execute("COMMIT; VACUUM;");
    result.coverage = coverage_text(database);
    result.failures = count(database, "failure");
    if (result.failures == 0 && result.findings.empty()) {
      result.findings.push_back({"failures", 0, "holds no entry; an entry is a file whose name ends in .toml"});
    }
    result.wordings = count(database, "pattern");
    result.image = assemble_image(database.bytes(), anchor_filter_of(database));
  } catch (const DatabaseError& refused) {
    result.findings.push_back({"", 0, std::string("the image cannot be made: ") + refused.what()});
  }
  std::stable_sort(result.findings.begin(), result.findings.end(), [](const Finding& left, const Finding& right) {
    return std::tie(left.file, left.line) < std::tie(right.file, right.line);
  });
  return result;
}

}  // namespace whyfail::kb
