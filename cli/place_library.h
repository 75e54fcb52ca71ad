// What placement requests name: module trees and contexts by hash from the files of a folder, read once; what is in no
// file from the knowledge base.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>

#include "fixer/placement/place.h"
#include "kb/knowledge_base.h"
#include "kb/release.h"

namespace whyfail::cli {

// A published model as a request names it.
struct NamedModel {
  std::string name;        // "opt-1.3b", "facebook/opt-1.3b"
  std::string class_name;  // "OPTForCausalLM"; empty: config.json's own
  fixer::DType dtype = fixer::DType::float32;
  kb::Release transformers;
};

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
  // The tree that the model's config and size template give, not quantized; nothing unless that is known to be exact.
  // Valid until the next call.
  const fixer::ModuleTree* tree_of(const NamedModel& model);
  // What the release knows about a model class; nothing if the class is not in the data. Valid until the next call.
  const fixer::ClassFacts* class_facts(const std::string& class_name, const kb::Release& transformers);
  const nlohmann::json* context(const std::string& hash) const;

 private:
  struct Files;
  const kb::KnowledgeBase& knowledge();

  std::unique_ptr<Files> files_;
};

}  // namespace whyfail::cli
