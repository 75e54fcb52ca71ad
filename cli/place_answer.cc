// One function of the libraries for each entry.
#include "cli/place_answer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fixer/placement/balance.h"
#include "fixer/placement/conversion.h"
#include "fixer/placement/placed_call.h"
#include "fixer/placement/quantizer_checks.h"
#include "fixer/placement/read_not_run.h"
#include "fixer/placement/ties.h"

namespace whyfail::cli {

namespace {

using nlohmann::json;
using namespace fixer;

json number(double value, bool whole) {
  if (whole && std::fabs(value) < 9e18) return static_cast<std::int64_t>(value);
  return value;
}

json device_json(const Device& device) {
  if (const std::int64_t* index = std::get_if<std::int64_t>(&device)) return *index;
  return std::get<std::string>(device);
}

json budgets_json(const BudgetTable& budgets) {
  json list = json::array();
  for (const auto& [device, amount] : budgets)
    list.push_back({device_json(device), number(amount.bytes, amount.whole)});
  return list;
}

json map_json(const DeviceMap& map) {
  json object = json::object();
  for (const auto& [name, device] : map) object[name] = device_json(device);
  return object;
}

// The answers of other orders of a Python set, with their shares of all orders.
void add_other_orders(json& result, const std::vector<OtherOrder>& others) {
  if (others.empty()) return;
  json list = json::array();
  double share = 1;
  for (const OtherOrder& other : others) {
    json answer{{"share", other.share}};
    if (other.error.empty()) {
      answer["device_map"] = map_json(other.device_map);
    } else {
      answer["error"] = other.error;
      answer["message"] = other.message;
    }
    list.push_back(std::move(answer));
    share -= other.share;
  }
  result["set_order"] = {{"share", share}, {"others", std::move(list)}};
}

json error_json(const LibraryError& error) {
  json result{{"error", error.type}, {"message", error.message}};
  add_other_orders(result, error.other_orders);
  return result;
}

json bad_request(const std::string& message) { return {{"error", "BadRequest"}, {"message", message}}; }

void add_allocation(json& result, const Allocation& allocation) {
  result["device_map"] = map_json(allocation.device_map);
  add_other_orders(result, allocation.other_orders);
  if (allocation.buffer_warning) {
    result["buffer_warning"] =
        number(*allocation.buffer_warning, *allocation.buffer_warning == std::floor(*allocation.buffer_warning));
  }
}

Rules accelerate_only(const PlaceRequest& request) { return rules_of_accelerate(request.accelerate); }

class Answer {
 public:
  Answer(const PlaceRequest& request, const Rules& rules) : request_(request), rules_(rules) {}

  json max_memory(bool own) {
    if (!convert()) return error_json(*error_);
    const OrError<BudgetTable> table = own ? transformers_max_memory(given_, request_.machine, rules_)
                                           : accelerate_max_memory(given_, request_.machine, rules_);
    if (const LibraryError* error = std::get_if<LibraryError>(&table)) return error_json(*error);
    return {{"max_memory", budgets_json(std::get<BudgetTable>(table))}};
  }

  json balanced(bool own) {
    if (!convert()) return error_json(*error_);
    const OrError<BudgetTable> table = balanced_table(own);
    if (const LibraryError* error = std::get_if<LibraryError>(&table)) return error_json(*error);
    return {{"max_memory", budgets_json(std::get<BudgetTable>(table))}};
  }

  json inferred(bool own) {
    if (!convert()) return error_json(*error_);
    json result = json::object();
    if (!own && given_ && has_text_budgets()) result["max_memory"] = budgets_json(*given_);
    return allocated(own, given_, std::move(result));
  }

  json balanced_then_inferred() {
    if (!convert()) return error_json(*error_);
    OrError<BudgetTable> table = balanced_table(false);
    if (const LibraryError* error = std::get_if<LibraryError>(&table)) return error_json(*error);
    json result{{"max_memory", budgets_json(std::get<BudgetTable>(table))}};
    return allocated(false, std::get<BudgetTable>(std::move(table)), std::move(result));
  }

 private:
  bool convert() {
    if (!request_.max_memory) return true;
    OrError<BudgetTable> table = converted(*request_.max_memory, rules_);
    if (LibraryError* error = std::get_if<LibraryError>(&table)) {
      error_ = std::move(*error);
      return false;
    }
    given_ = std::get<BudgetTable>(std::move(table));
    return true;
  }

  bool has_text_budgets() const {
    for (const auto& [device, value] : *request_.max_memory) {
      if (std::holds_alternative<std::string>(value)) return true;
    }
    return false;
  }

  const std::vector<std::string>& no_split() const {
    static const std::vector<std::string> kNone;
    return request_.no_split ? *request_.no_split : kNone;
  }

  FlatTree tree() const { return FlatTree(*request_.tree, request_.tied_by_identity ? request_.ties : TieNames()); }

  Sizing sizing(bool own) const {
    Sizing sizing = request_.sizing;
    sizing.by_element = own;
    return sizing;
  }

  OrError<BudgetTable> balanced_table(bool own) const {
    const FlatTree flat = tree();
    const Sizes sizes = sizes_of(flat, sizing(own), rules_);
    const BalanceRequest balance{
        flat, sizes, no_split(), given_, request_.machine, request_.strategy == "balanced_low_0"};
    return own ? transformers_balanced(balance, rules_) : accelerate_balanced(balance, rules_);
  }

  json allocated(bool own, const std::optional<BudgetTable>& given, json result) const {
    const OrError<BudgetTable> budgets = own ? transformers_max_memory(given, request_.machine, rules_)
                                             : accelerate_max_memory(given, request_.machine, rules_);
    if (const LibraryError* error = std::get_if<LibraryError>(&budgets)) return error_json(*error);
    const FlatTree flat = tree();
    const Sizes sizes = sizes_of(flat, sizing(own), rules_);
    const auto groups = own ? declared_groups(flat, request_.declared_ties) : flat.tied_groups();
    const OrError<Allocation> done =
        allocate({flat, sizes, std::get<BudgetTable>(budgets), no_split(), groups, request_.clean_result,
                  request_.fallback_allocation, request_.offload_buffers,
                  own && rules_.leaves_out_parameters && request_.left_out ? &*request_.left_out : nullptr},
                 rules_);
    if (const LibraryError* error = std::get_if<LibraryError>(&done)) return error_json(*error);
    add_allocation(result, std::get<Allocation>(done));
    return result;
  }

  const PlaceRequest& request_;
  Rules rules_;
  std::optional<BudgetTable> given_;
  std::optional<LibraryError> error_;
};

// Parameters that stay in float32 are counted so.
void keep_in_fp32(const PlaceRequest& request, Sizing& sizing) {
  if (request.keep_in_fp32.empty()) return;
  const FlatTree tree(*request.tree, {});
  for (NodeIndex index = 0; index < tree.size(); ++index) {
    if (tree[index].kind != NodeKind::parameter) continue;
    const std::string name = tree.full_name(index);
    for (const std::string& part : request.keep_in_fp32) {
      if (name.find(part) != std::string::npos) sizing.special_dtypes[name] = DType::float32;
    }
  }
}

// The whole way from a strategy to the map. Without a context it is the function alone, run on the tree as it is.
json by_strategy(const PlaceRequest& request) {
  const Rules rules = rules_for(request.transformers, request.accelerate);
  const TieNames tied_later = request.has_context        ? request.context_ties
                              : request.tied_by_identity ? request.ties
                                                         : TieNames();
  TieNames tied_early = request.tied_by_identity && !request.has_context ? request.ties : request.ties_when_balancing;
  const FlatTree tree(*request.tree, tied_later);
  StrategyRequest strategy{
      tree,
      request.strategy,
      tied_early != tied_later,
      std::move(tied_early),
      request.declared_ties,
      request.no_split.value_or(std::vector<std::string>()),
      request.sizing,
      !request.settings.quantizer.empty() &&
          quantizer_rules(request.settings.quantizer, request.settings.pre_quantized, rules).reserves_room,
      request.max_memory,
      request.machine,
      request.left_out ? &*request.left_out : nullptr};
  strategy.sizing.by_element = rules.own_allocator;
  keep_in_fp32(request, strategy.sizing);
  const OrError<StrategyMap> made = map_by_strategy(strategy, rules);
  if (const LibraryError* error = std::get_if<LibraryError>(&made)) return error_json(*error);
  const StrategyMap& map = std::get<StrategyMap>(made);
  json result = json::object();
  if (map.budgets) result["max_memory"] = budgets_json(*map.budgets);
  const std::optional<LibraryError> refused = automatic_map_refusal(
      request.settings, with_values(map.allocation.device_map), request.not_converted, request.machine, rules);
  if (refused) {
    result.update(error_json(*refused));
    result["device_map_before_check"] = map_json(map.allocation.device_map);
    return result;
  }
  add_allocation(result, map.allocation);
  return result;
}

json value_json(const DeviceValue& value) {
  switch (value.kind) {
    case DeviceValue::Kind::number:
      return value.number;
    case DeviceValue::Kind::boolean:
      return value.number != 0;
    case DeviceValue::Kind::real:
      return value.real;
    case DeviceValue::Kind::none:
      return nullptr;
    case DeviceValue::Kind::torch_device:
      return {{"torch.device", value.text}};
    case DeviceValue::Kind::text:
      break;
  }
  return value.text;
}

// [[key, value], …] by key, or null without a map.
json choice_json(const MapChoice& choice) {
  if (choice.kind != MapChoice::Kind::map) return nullptr;
  ValueMap sorted = choice.map;
  std::sort(sorted.begin(), sorted.end(), [](const auto& left, const auto& right) { return left.first < right.first; });
  json pairs = json::array();
  for (const auto& [key, value] : sorted) pairs.push_back({key, value_json(value)});
  return pairs;
}

bool is_floating(DType type) {
  return type == DType::float64 || type == DType::float32 || type == DType::float16 || type == DType::bfloat16;
}

// Parameters in the dtype that the call loads them in; buffers keep theirs.
void load_as(Module& module, DType type) {
  for (Tensor& tensor : module.parameters) {
    if (is_floating(tensor.dtype)) tensor.dtype = type;
  }
  for (Module& child : module.children) load_as(child, type);
}

// A whole call with a device_map of the caller's. `argument`: as the request wrote it.
json by_argument(const PlaceRequest& request, const json& argument) {
  const Rules rules = rules_for(request.transformers, request.accelerate);
  ModuleTree tree = *request.tree;
  tree.ties = request.ties;
  LoadSettings settings = request.settings;
  settings.dtype = request.sizing.dtype;
  // Calls with a quantizer load in float16 where nothing else is said.
  if (!settings.dtype && !settings.quantizer.empty()) settings.dtype = DType::float16;
  if (settings.dtype) load_as(tree.root, *settings.dtype);
  ClassFacts facts;
  facts.class_name = request.class_name;
  facts.no_split = request.no_split      ? request.no_split
                   : request.class_facts ? request.class_facts->no_split
                                         : repeated_classes(tree);
  // Their names; transformers 4 counts them in float32 when the model is loaded in float16 (T5's wo).
  if (request.class_facts && settings.dtype == DType::float16 && !rules.own_allocator) {
    facts.keep_in_fp32 = request.class_facts->never_quantized;
  }
  const OrError<PlacedCall> made =
      placed_call({tree, facts, request.argument, request.max_memory, request.machine, settings, false}, rules);
  if (const LibraryError* error = std::get_if<LibraryError>(&made)) {
    json result = error_json(*error);
    if (!error->device_map_before_check.empty()) {
      result["device_map_before_error"] = map_json(error->device_map_before_check);
    }
    return result;
  }
  const PlacedCall& call = std::get<PlacedCall>(made);
  const bool unchecked = call.choice.kind == MapChoice::Kind::unchecked;
  json result{{"device_map", unchecked ? argument : choice_json(call.choice)}};
  result["stage"] = call.followed ? "loaded" : "before loading";
  if (call.followed) result["on_meta_after_loading"] = call.on_meta;
  return result;
}

json answer_of_entry(const PlaceRequest& request, const json& argument) {
  const std::string& entry = request.entry;
  if (entry == "accelerate.get_max_memory") return Answer(request, accelerate_only(request)).max_memory(false);
  const Rules rules = rules_for(request.transformers, request.accelerate);
  if (entry == "transformers.get_max_memory") return Answer(request, rules).max_memory(true);
  if (request.tree == nullptr) return bad_request("the request names no model tree");
  if (entry == "accelerate.get_balanced_memory") return Answer(request, accelerate_only(request)).balanced(false);
  if (entry == "accelerate.infer_auto_device_map") return Answer(request, accelerate_only(request)).inferred(false);
  if (entry == "accelerate.get_balanced_memory+infer_auto_device_map") {
    return Answer(request, accelerate_only(request)).balanced_then_inferred();
  }
  if (entry == "transformers.get_balanced_memory") return Answer(request, rules).balanced(true);
  if (entry == "transformers.infer_auto_device_map") return Answer(request, rules).inferred(true);
  if (entry == "transformers._get_device_map" || entry == "transformers.from_pretrained-path") {
    return by_strategy(request);
  }
  if (entry == "transformers.from_pretrained(device_map)") return by_argument(request, argument);
  return bad_request("'entry' names no function that is known: '" + entry + "'");
}

}  // namespace

json answer(const PlaceRequest& request, const json& argument) {
  json result = answer_of_entry(request, argument);
  const Rules rules = rules_for(request.transformers, request.accelerate);
  const std::vector<std::string> read =
      rules_read_not_run(request.settings, request.max_memory.has_value(), request.machine, rules);
  if (!read.empty()) result["read_not_run"] = read;
  if (request.tree_by_name) result["tree"] = "made from the model's name: its hash is in no file of the folder";
  return result;
}

}  // namespace whyfail::cli
