// The steps of from_pretrained in their order: the argument, the quantizer, the strategy, ties, loading, dispatch.
#include "fixer/placement/placed_call.h"

#include <algorithm>

#include "fixer/placement/conversion.h"
#include "fixer/placement/load_checks.h"
#include "fixer/placement/quantizer_checks.h"
#include "fixer/placement/strategy_map.h"

namespace whyfail::fixer {

namespace {

// Names that are one tensor as soon as the model is built, before its weights are tied: encoder and decoder get the
// shared embedding when they are made; only the output embedding is tied later.
TieNames tied_when_built(const TieNames& ties) {
  TieNames early;
  for (const std::vector<std::string>& group : ties) {
    std::vector<std::string> names;
    for (const std::string& name : group) {
      if (!name.starts_with("lm_head.")) names.push_back(name);
    }
    if (group.size() > 2 && names.size() > 1) early.push_back(std::move(names));
  }
  return early;
}

LibraryError no_split_missing(const ClassFacts& facts, const std::string& strategy, const Rules& rules) {
  return library_error("ValueError", facts.class_name + " does not support `device_map='" + strategy +
                                         "'`. To implement support, the " +
                                         (rules.modelclass_typo ? "modelclass" : "model class") +
                                         " needs to implement the `_no_split_modules` attribute.");
}

// The strategy's map takes the place of its name in `call`.
std::optional<LibraryError> apply_strategy(const PlacedCallRequest& request, const FlatTree& tree, const Rules& rules,
                                           PlacedCall& call) {
  if (!request.facts.no_split && rules.no_split_required) {
    return no_split_missing(request.facts, call.choice.strategy, rules);
  }
  const LoadSettings& settings = request.settings;
  TieNames early = rules.own_allocator ? TieNames() : tied_when_built(request.tree.ties);
  const bool tied_later = !rules.own_allocator && early != request.tree.ties;
  StrategyRequest strategy{
      tree,
      call.choice.strategy,
      tied_later,
      std::move(early),
      request.tree.ties,
      request.facts.no_split.value_or(std::vector<std::string>()),
      sizing_for(tree, request.facts, settings, rules),
      !settings.quantizer.empty() && quantizer_rules(settings.quantizer, settings.pre_quantized, rules).reserves_room,
      request.max_memory,
      request.machine,
      request.facts.left_out ? &*request.facts.left_out : nullptr};
  OrError<StrategyMap> made = map_by_strategy(strategy, rules);
  if (LibraryError* error = std::get_if<LibraryError>(&made)) return std::move(*error);
  StrategyMap& map = std::get<StrategyMap>(made);
  call.choice.kind = MapChoice::Kind::map;
  call.choice.map = with_values(map.allocation.device_map);
  call.budgets = std::move(map.budgets);
  call.passed_over = std::move(map.allocation.passed_over);
  call.other_orders = std::move(map.allocation.other_orders);
  if (settings.quantizer.empty()) return std::nullopt;
  std::optional<LibraryError> refused = automatic_map_refusal(
      settings, call.choice.map, modules_not_converted(tree, request.facts, settings, rules), request.machine, rules);
  if (refused) refused->device_map_before_check = std::move(map.allocation.device_map);
  return refused;
}

// A float or a list: 4.x looks tied names up in it.
std::optional<LibraryError> unchecked_argument(const PlacedCallRequest& request, const Rules& rules) {
  if (!rules.tied_names_must_be_covered || request.tree.ties.empty()) return std::nullopt;
  if (request.argument.kind == MapArgument::Kind::value) {
    return library_error("TypeError", "argument of type 'float' is not iterable");
  }
  return library_error("ValueError", "The `device_map` does not contain the module .");
}

bool on_cpu_and_disk_only(const ValueMap& map) {
  return std::all_of(map.begin(), map.end(), [](const auto& entry) {
    const std::string name = entry.second.name();
    return name == "cpu" || name == "disk";
  });
}

}  // namespace

OrError<PlacedCall> placed_call(const PlacedCallRequest& request, const Rules& rules) {
  OrError<MapChoice> read = choice_of(request.argument, request.settings, rules);
  if (LibraryError* error = std::get_if<LibraryError>(&read)) return std::move(*error);
  PlacedCall call;
  call.choice = std::get<MapChoice>(std::move(read));
  const bool given = call.choice.kind != MapChoice::Kind::none;
  const bool quantized = !request.settings.quantizer.empty();
  if (!given && quantized) {
    if (std::optional<ValueMap> map = quantizer_default_map(request.settings, request.machine, rules)) {
      call.choice.kind = MapChoice::Kind::map;
      call.choice.map = std::move(*map);
    }
  }
  const bool strategy = call.choice.kind == MapChoice::Kind::strategy;
  const MapState state = strategy ? MapState::strategy : MapState::map;
  if (std::optional<LibraryError> error =
          given_map_refusal(request.settings, given, state, call.choice.map, request.machine, rules)) {
    return std::move(*error);
  }
  if (rules.fp8_fails_with_parallel_plan && request.settings.quantizer == "fp8" && has_parallel_plan(request.tree)) {
    return library_error("AttributeError", "'NoneType' object has no attribute 'get'");
  }
  call.followed = call.choice.kind == MapChoice::Kind::none && !quantized;
  if (call.choice.kind == MapChoice::Kind::none) {
    std::optional<LibraryError> error = call.followed ? pickle_refusal(request.settings, rules) : std::nullopt;
    if (error) return std::move(*error);
    return call;
  }
  if (call.choice.kind == MapChoice::Kind::unchecked) {
    if (std::optional<LibraryError> error = unchecked_argument(request, rules)) return std::move(*error);
    return call;
  }
  // transformers 5 ties nothing before weights are loaded
  const FlatTree tree(request.tree, rules.own_allocator ? TieNames() : request.tree.ties);
  if (std::optional<LibraryError> error = strategy ? apply_strategy(request, tree, rules, call)
                                                   : uncovered_tie(request.tree.ties, call.choice.map, rules)) {
    return std::move(*error);
  }
  const bool readable = !quantized && on_cpu_and_disk_only(call.choice.map);
  if (!readable && !request.follow_gpu_maps) return call;
  OrError<std::vector<std::string>> loaded = loaded_under(
      {tree, request.tree.ties, request.facts, call.choice.map, request.settings, request.machine, readable}, rules);
  if (LibraryError* error = std::get_if<LibraryError>(&loaded)) {
    error->device_map_before_check = plain(call.choice.map);
    return std::move(*error);
  }
  call.followed = readable;
  call.on_meta = std::get<std::vector<std::string>>(std::move(loaded));
  return call;
}

}  // namespace whyfail::fixer
