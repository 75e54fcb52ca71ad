// A placement request: one case of the reference data without its answer (which function, libraries, model, budgets,
// machine).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "cli/place_library.h"
#include "fixer/placement/map_argument.h"
#include "fixer/placement/place.h"
#include "fixer/placement/strategy_map.h"

namespace whyfail::cli {

struct PlaceRequest {
  std::string entry;  // the function of the library: "accelerate.infer_auto_device_map" …
  kb::Release transformers;
  kb::Release accelerate;
  std::string class_name;
  std::optional<fixer::ModuleTree> inline_tree;
  const fixer::ModuleTree* tree = nullptr;  // null: the entry needs none
  bool tree_by_name = false;                // the hash is in no file; made from what is known of the model's name
  fixer::TieNames ties;
  bool tied_by_identity = true;
  fixer::TieNames declared_ties;
  fixer::TieNames ties_when_balancing;
  std::optional<std::vector<std::string>> no_split;
  const fixer::ClassFacts* class_facts = nullptr;    // of class_name; null: not known
  std::optional<std::vector<std::string>> left_out;  // _no_placement_params
  std::vector<std::string> not_converted;
  fixer::Sizing sizing;
  std::vector<std::string> keep_in_fp32;  // parts of names
  std::string strategy;
  std::optional<fixer::Budgets> max_memory;
  fixer::PlacementMachine machine;
  bool offload_buffers = false;
  bool clean_result = true;
  bool fallback_allocation = false;
  fixer::LoadSettings settings;
  fixer::MapArgument argument;  // device_map as written
  bool has_context = false;
  fixer::TieNames context_ties;  // groups that are one tensor by the time the model is placed
};

// The request, or why it can't be understood. Trees and contexts named by hash come from `library`.
std::variant<PlaceRequest, std::string> read_place_request(const nlohmann::json& request, PlaceLibrary& library);

}  // namespace whyfail::cli
