// In the order in which the library refuses: arguments that stand against each other, the device map as written,
// arguments that the release does not have, then the placement, the room on each GPU, and last the moves.
#include "fixer/plan/check.h"

#include <algorithm>
#include <array>

#include "fixer/call/loading_calls.h"
#include "fixer/plan/argument_error.h"
#include "fixer/plan/caller_literal.h"
#include "fixer/plan/check_conditions.h"
#include "fixer/plan/check_moves.h"
#include "fixer/plan/known_messages.h"
#include "kb/releases.h"

namespace whyfail::fixer {
namespace {

using ErrorOrNone = std::optional<LibraryError>;

bool is_map_text(const LoadCall& load) { return load.device_map.kind == DeviceMapArgument::Kind::text; }

bool is_true(const Parameter* parameter) {
  return parameter != nullptr && parameter->value.kind == Value::Kind::boolean && parameter->value.boolean;
}

bool loads_in_bits(const LoadCall& load) {
  return is_true(load.find("load_in_8bit")) || is_true(load.find("load_in_4bit"));
}

// transformers 4.27 to 4.57: load_in_8bit=True beside quantization_config.
ErrorOrNone conflict(const LoadCall& load, const CheckFacts& facts) {
  const Parameter* config = load.find("quantization_config");
  if (config == nullptr || config->value.kind != Value::Kind::call || !loads_in_bits(load)) return std::nullopt;
  return known_message(*facts.kb, "quantization-kwargs-conflict", "", facts.releases);
}

// Arguments that reach the model's own __init__, which refuses them, where from_pretrained does not take them. Others
// are attributes of the config, or are dropped silently.
bool is_refused_if_unknown(std::string_view name) {
  static constexpr std::array<std::string_view, 5> names = {"dtype", "offload_buffers", "use_flash_attention_2",
                                                            "attn_implementation", "quantization_config"};
  static constexpr std::array<std::string_view, 3> families = {"load_in_", "llm_int8_", "bnb_4bit_"};
  return std::find(names.begin(), names.end(), name) != names.end() ||
         std::any_of(families.begin(), families.end(), [&](std::string_view each) { return name.starts_with(each); });
}

// Without a config object, the arguments of BitsAndBytesConfig go into the one that load_in_8bit=True makes (4.x).
bool goes_into_config(const LoadCall& load, const std::string& name, const CheckFacts& facts) {
  const kb::Release& release = facts.releases.transformers;
  const auto has_flag =
      kb::has_argument(*facts.kb, "transformers", "PreTrainedModel.from_pretrained", "load_in_8bit", release);
  return loads_in_bits(load) && has_flag.value_or(false) &&
         kb::has_argument(*facts.kb, "transformers", "BitsAndBytesConfig.__init__", name, release).value_or(true);
}

ErrorOrNone unexpected_argument(const LoadCall& load, const Model* model, const CheckFacts& facts) {
  if (load.loader != Loader::from_pretrained) return std::nullopt;
  for (const Parameter& parameter : load.parameters) {
    if (!is_refused_if_unknown(parameter.name)) continue;
    const auto taken = kb::has_argument(*facts.kb, "transformers", "PreTrainedModel.from_pretrained", parameter.name,
                                        facts.releases.transformers);
    if (taken.value_or(true) || goes_into_config(load, parameter.name, facts)) continue;
    std::string name = model != nullptr ? model->facts.class_name : load.class_name;
    if (name.empty() || (model == nullptr && name.starts_with("Auto")))
      return LibraryError{"TypeError", "__init__() got an unexpected keyword argument '" + parameter.name + "'", {}};
    return LibraryError{
        "TypeError", name + ".__init__() got an unexpected keyword argument '" + parameter.name + "'", {}};
  }
  return std::nullopt;
}

// The machine's packages are known and accelerate is not among them.
ErrorOrNone missing_accelerate(const LoadCall& load, const CheckFacts& facts) {
  if (facts.machine == nullptr || load.device_map.kind == DeviceMapArgument::Kind::none) return std::nullopt;
  const auto& packages = facts.machine->packages;
  if (packages.count("transformers") == 0 || packages.count("accelerate") != 0) return std::nullopt;
  return known_message(*facts.kb, "accelerate-missing", "device_map", facts.releases);
}

// accelerate's own functions (big_modeling.py, utils/modeling.py) take a module, so only the arguments can be judged.
ErrorOrNone accelerate_error(const LoadCall& load, const CheckFacts& facts, const Rules& rules) {
  if (load.loader == Loader::checkpoint) {
    const bool strategy = load.device_map.text == "auto" || load.device_map.text == "balanced" ||
                          load.device_map.text == "balanced_low_0" || load.device_map.text == "sequential";
    if (is_map_text(load) && !strategy) {
      return known_message(*facts.kb, "device-map-strategy-string", "If passing a string", facts.releases);
    }
    if (ErrorOrNone error = argument_error(load, load.max_memory, rules)) return error;
  } else if (is_map_text(load)) {
    return known_message(*facts.kb, "device-map-string-to-dispatch", "str", facts.releases);
  }
  std::string on_disk;
  for (const auto& [module, device] : load.device_map.map) {
    if (device == Device(std::string("disk"))) on_disk += (on_disk.empty() ? "" : ", ") + module;
  }
  if (on_disk.empty() || load.opaque || load.settings.offload_folder) return std::nullopt;
  if (load.loader == Loader::checkpoint) {
    return known_message(*facts.kb, "checkpoint-offload-folder-required", "", facts.releases);
  }
  if (load.find("state_dict") != nullptr || load.find("offload_index") != nullptr) return std::nullopt;
  return LibraryError{"ValueError",
                      "We need an `offload_dir` to dispatch this model according to this `device_map`, the following "
                      "submodules need to be offloaded: " +
                          on_disk + ".",
                      {}};
}

// A model that the call loads in a way that the simulation knows.
std::optional<Model> model_of(const LoadCall& load, const CheckFacts& facts) {
  if (!load.model || load.dtype_unreadable || load.quantization_unreadable || load.opaque) return std::nullopt;
  for (const char* other : {"gguf_file", "subfolder", "config", "tp_plan", "state_dict", "revision"}) {
    if (load.find(other) != nullptr) return std::nullopt;
  }
  // pipeline("task", …) chooses the class by the task; only this one loads the class that is assumed.
  if (load.loader == Loader::pipeline) {
    const Parameter* task = load.find("task");
    if (task == nullptr || task->value.kind != Value::Kind::text || task->value.text != "text-generation")
      return std::nullopt;
  }
  ModelQuery query;
  query.name = *load.model;
  query.working_folder = facts.working_folder;
  query.auto_class = load.class_name;
  query.dtype = load.dtype;
  query.dtype_auto = load.dtype_auto;
  query.quantized = !load.settings.quantizer.empty();
  query.transformers = facts.releases.transformers;
  auto found = find_model(query, *facts.kb);
  auto* model = std::get_if<Model>(&found);
  if (model == nullptr || model->tree.root.children.empty() || !model->quantization.empty()) return std::nullopt;
  return std::move(*model);
}

bool machine_is_known(const CheckFacts& facts) {
  const probes::Machine* machine = facts.machine;
  return machine != nullptr && machine->gpus_known && machine->memory.available_bytes &&
         std::all_of(machine->gpus.begin(), machine->gpus.end(), [](const probes::Gpu& gpu) {
           return gpu.vendor.empty() || gpu.vendor == "nvidia" || gpu.vendor == "amd";
         });
}

bool holds_disk(const DeviceMap& map) {
  return std::any_of(map.begin(), map.end(),
                     [](const auto& entry) { return entry.second == Device(std::string("disk")); });
}

// os.makedirs(offload_folder, exist_ok=True) on the name of a file.
ErrorOrNone folder_is_a_file(const LoadCall& load, const Outcome& outcome, const CheckFacts& facts) {
  const Parameter* folder = load.find("offload_folder");
  if (folder == nullptr || folder->value.kind != Value::Kind::text || facts.working_folder.empty()) return std::nullopt;
  std::error_code error;
  if (!holds_disk(outcome.device_map) ||
      !std::filesystem::is_regular_file(facts.working_folder / folder->value.text, error)) {
    return std::nullopt;
  }
  return LibraryError{"FileExistsError", "[Errno 17] File exists: '" + folder->value.text + "'", {}};
}

// Weights that are converted are made anew in RAM, where those of the stored type are mapped from the checkpoint: with
// more of them than the machine's memory the kernel ends the process.
std::optional<Prediction> killed(const Model& model, const Outcome& outcome, const probes::Machine& machine,
                                 TextRange where) {
  const auto memory = machine.memory.total_bytes ? machine.memory.total_bytes : machine.memory.available_bytes;
  if (model.dtype == model.stored_dtype || !memory) return std::nullopt;
  for (const DeviceUse& use : outcome.devices) {
    if (use.capacity.device != Device(std::string("cpu")) || use.weights_bytes <= *memory) continue;
    return Prediction{{"Killed", "the process ends with status 137", {}},
                      "the weights in RAM take " + readable_size(use.weights_bytes) + " as " + dtype_name(model.dtype) +
                          "; the machine has " + readable_size(*memory),
                      "process-killed",
                      where};
  }
  return std::nullopt;
}

std::optional<Prediction> placement_failure(const LoadCall& load, const Call& loading, const Model& model,
                                            const CheckFacts& facts, const Rules& rules, Outcome& outcome) {
  outcome = simulate_load(load, model, *facts.machine, facts.options, rules, std::nullopt);
  // A class that declares no _no_split_modules is refused whatever its sizes; all else stands on exact ones.
  const bool certain = model.exact || (!model.facts.no_split && rules.no_split_required);
  if (outcome.error && certain) return Prediction{*outcome.error, "", "", loading.range};
  if (!model.exact) return std::nullopt;
  if (ErrorOrNone error = folder_is_a_file(load, outcome, facts)) {
    return Prediction{*error, "", "offload-folder-readonly", loading.range};
  }
  if (auto failure = out_of_memory(outcome, *facts.machine, loading.range)) return failure;
  return killed(model, outcome, *facts.machine, loading.range);
}

}  // namespace

std::vector<Call> calls_to_check(const Script& script) {
  std::vector<Call> calls;
  for (Call& call : loading_calls(script)) {
    const LoadCall load = read_load(script, call);
    const std::string name = script.qualified_callee(call);
    const bool of_transformers =
        name.starts_with("transformers.") || (name == call.callee && load.class_name.starts_with("AutoModel"));
    const bool of_accelerate = load.loader == Loader::checkpoint || load.loader == Loader::dispatch;
    const bool loads = load.loader == Loader::from_pretrained || load.loader == Loader::pipeline;
    if (failure_is_caught(script, call)) continue;
    if (call.complete && ((of_transformers && loads) || of_accelerate)) calls.push_back(std::move(call));
  }
  return calls;
}

std::optional<Prediction> predict_failure(const Script& script, const Call& loading, const CheckFacts& facts) {
  LoadCall load = read_load(script, loading);
  const Parameter* low_memory = load.find("low_cpu_mem_usage");
  load.settings.low_cpu_mem_usage =
      low_memory == nullptr || low_memory->value.kind != Value::Kind::boolean || low_memory->value.boolean;
  const Rules rules = rules_for(facts.releases.transformers, facts.releases.accelerate);
  const auto here = [&](const LibraryError& error) { return Prediction{error, "", "", loading.range}; };
  if (load.loader == Loader::checkpoint || load.loader == Loader::dispatch) {
    const ErrorOrNone error = accelerate_error(load, facts, rules);
    if (!error) return std::nullopt;
    Prediction failure = here(*error);
    if (load.loader == Loader::dispatch && is_map_text(load)) failure.failure = "device-map-string-to-dispatch";
    return failure;
  }
  if (!facts.model_override.empty()) load.model = facts.model_override;
  if (!load.model) load.model = model_named_elsewhere(script, loading, load);
  if (load.loader == Loader::pipeline && !load.model) return std::nullopt;  // takes a model that is loaded already
  const std::optional<Model> model = model_of(load, facts);
  if (const ErrorOrNone error = conflict(load, facts)) return here(*error);
  if (const ErrorOrNone error = argument_error(load, std::nullopt, rules)) return here(*error);
  if (const ErrorOrNone error = missing_accelerate(load, facts)) return here(*error);
  if (const ErrorOrNone error = unexpected_argument(load, model ? &*model : nullptr, facts)) return here(*error);
  const bool readable = !load.device_map_unreadable && !load.max_memory_unreadable;
  if (!model || !readable || !machine_is_known(facts) || !runs_for_certain(script, loading, *facts.machine)) {
    const ErrorOrNone error = argument_error(load, load.max_memory, rules);
    return error ? std::optional(here(*error)) : std::nullopt;
  }
  Outcome outcome;
  if (auto failure = placement_failure(load, loading, *model, facts, rules, outcome)) return failure;
  if (!model->exact) {
    const ErrorOrNone error = argument_error(load, load.max_memory, rules);
    return error ? std::optional(here(*error)) : std::nullopt;
  }
  return move_failure({script, loading, load, *model, outcome, facts, rules});
}

}  // namespace whyfail::fixer
