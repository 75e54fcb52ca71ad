// The module trees and contexts that placement requests name by hash: all files of a folder, read once.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>

#include "fixer/placement/module_tree.h"

namespace whyfail::cli {

class PlaceLibrary {
 public:
  PlaceLibrary();
  ~PlaceLibrary();
  PlaceLibrary(const PlaceLibrary&) = delete;
  PlaceLibrary& operator=(const PlaceLibrary&) = delete;

  // Reads *trees.json.gz, *contexts.json.gz and *ctx.json.gz. Returns what went wrong, or nothing.
  std::optional<std::string> load(const std::filesystem::path& folder);

  // The expanded tree of a hash, or what is wrong. Valid until the next call.
  std::variant<const fixer::ModuleTree*, std::string> tree(const std::string& hash);
  const nlohmann::json* context(const std::string& hash) const;

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

}  // namespace whyfail::cli
