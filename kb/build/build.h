// A data folder → the knowledge base image. Used by whyfail-kb-build and by `whyfail kb check` and `kb build`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kb/build/building.h"

namespace whyfail::kb {

struct BuildResult {
  std::string image;               // bytes of the file; made even with findings, empty only if nothing could be read
  std::vector<Finding> findings;   // sorted by file and line; empty: the data is sound
  std::vector<RecipeUse> recipes;  // in the order of files and lines
  std::string coverage;            // coverage.h
  int failures = 0;
  int wordings = 0;
};

// Reads and checks everything below `folder` (data/README.md says what may be there).
BuildResult build_image(const std::filesystem::path& folder);

}  // namespace whyfail::kb
