// Asks the simulation about the smallest model there is.
#include "fixer/plan/argument_error.h"

namespace whyfail::fixer {
namespace {

// accelerate 0.20 to 1.15, big_modeling.py (load_checkpoint_and_dispatch)
bool names_strategy(const std::string& text) {
  return text == "auto" || text == "balanced" || text == "balanced_low_0" || text == "sequential";
}

}  // namespace

std::optional<LibraryError> budget_error(const Budgets& budgets, const Rules& rules) {
  for (const auto& [device, value] : budgets) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) continue;
    const auto bytes = budget_bytes(*text, rules);
    if (const auto* error = std::get_if<LibraryError>(&bytes)) return *error;
  }
  return std::nullopt;
}

std::optional<LibraryError> argument_error(const LoadCall& load, const std::optional<Budgets>& max_memory,
                                           const Rules& rules) {
  const DeviceMapArgument::Kind kind = load.device_map.kind;
  if (kind != DeviceMapArgument::Kind::text && kind != DeviceMapArgument::Kind::integer) return std::nullopt;
  if (load.loader == Loader::checkpoint && kind == DeviceMapArgument::Kind::text &&
      !names_strategy(load.device_map.text)) {
    return LibraryError{"ValueError",
                        "If passing a string for `device_map`, please choose 'auto', 'balanced', 'balanced_low_0' or "
                        "'sequential'.",
                        {}};
  }
  ModuleTree tree;
  tree.root.class_name = "Model";
  tree.root.children.push_back({"layer", "Linear", {{"weight", 1, DType::float16, true}}, {}, {}});
  ClassFacts facts;
  facts.class_name = "Model";
  facts.no_split = std::vector<std::string>{};
  PlacementMachine machine;
  machine.gpus.assign(64, {1ULL << 40, 1ULL << 40, 0, 0});
  machine.cpu_available_bytes = 1ULL << 40;
  LoadSettings settings;
  settings.low_cpu_mem_usage = load.settings.low_cpu_mem_usage;
  const PlacementResult result = place(tree, facts, load.device_map, max_memory, machine, settings, rules);
  const auto* error = std::get_if<LibraryError>(&result);
  return error == nullptr ? std::nullopt : std::optional<LibraryError>(*error);
}

}  // namespace whyfail::fixer
