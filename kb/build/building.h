// What every importer of the knowledge base build gets and gives back.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "kb/database.h"

namespace whyfail::kb {

// Something wrong in the data: printed as "file:line: reason".
struct Finding {
  std::string file;  // below the data folder
  int line = 0;      // 0: the whole file
  std::string reason;
};

// A strategy that an entry names; whether there is one of that name is known only where strategies are.
struct RecipeUse {
  std::string file;
  int line = 0;
  std::string strategy;
};

// A build in progress: the data folder, the database that is filled (its tables exist, a transaction is open), and what
// was found wrong so far. An importer reads its own part of the folder and adds its rows; a part that is not there is
// no error, so that a team's own folder may hold failures only.
struct Building {
  std::filesystem::path folder;
  Database& database;
  std::vector<Finding>& findings;
  std::vector<RecipeUse>& recipes;

  void complain(std::string file, int line, std::string reason) {
    findings.push_back({std::move(file), line, std::move(reason)});
  }
};

// Files below `folder`/`part` whose name ends in `suffix`, sorted, as paths below `folder`.
std::vector<std::string> data_files(const std::filesystem::path& folder, const std::string& part,
                                    const std::string& suffix);
// The bytes of a file below `folder`; complains and returns empty if it can't be read.
std::string read_data_file(Building& building, const std::string& file);

// The importers, in the order in which they run (build.cc).
void import_failures(Building& building);
void import_models(Building& building);
void import_releases(Building& building);
void import_vocabulary(Building& building);

}  // namespace whyfail::kb
