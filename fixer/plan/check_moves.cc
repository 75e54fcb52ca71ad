// Follows a loaded model to the calls that move or cast it.
#include "fixer/plan/check_moves.h"

#include <algorithm>

#include "fixer/call/loading_calls.h"
#include "fixer/plan/check_conditions.h"
#include "fixer/plan/known_messages.h"
#include "fixer/plan/moves.h"

namespace whyfail::fixer {
namespace {

bool on_gpu(const Device& device) { return std::holds_alternative<std::int64_t>(device); }

// accelerate's hooks keep weights on the meta device: those on the disk, and those on the CPU beside a GPU
// (accelerate 0.22 to 1.15, big_modeling.py dispatch_model).
bool holds_meta_weights(const Outcome& outcome) {
  const auto is = [](const Device& device, const char* name) { return device == Device(std::string(name)); };
  bool gpu = false;
  bool cpu = false;
  bool disk = false;
  for (const auto& [module, device] : outcome.device_map) {
    disk = disk || is(device, "disk");
    cpu = cpu || is(device, "cpu");
    gpu = gpu || (!is(device, "disk") && !is(device, "cpu"));
  }
  return disk || (cpu && gpu);
}

// device = "cuda" if torch.cuda.is_available() else "cpu"
bool is_gpu_if_there_is_one(const Script& script, TextRange expression) {
  const auto assigned = script.assignment_of(expression);
  const TextRange value = assigned ? assigned->value : expression;
  const std::string text = script.text().substr(value.begin, value.end - value.begin);
  return text.find("\"cuda\" if torch.cuda.is_available() else") != std::string::npos ||
         text.find("'cuda' if torch.cuda.is_available() else") != std::string::npos;
}

// The argument is a value that the text tells.
bool is_told(const LoadedModel& loaded, TextRange expression) {
  if (loaded.script.value_of(expression).kind != Value::Kind::unknown) return true;
  return !loaded.facts.machine->gpus.empty() && is_gpu_if_there_is_one(loaded.script, expression);
}

// Every argument is a value that the text tells.
bool is_readable(const LoadedModel& loaded, const Move& move) {
  return std::all_of(move.call.arguments.begin(), move.call.arguments.end(), [&](const Argument& argument) {
    return (move.pipeline && argument.name != "device") || is_told(loaded, argument.value);
  });
}

bool works_on(const LoadedModel& loaded, const Move& move) {
  if (move.chained) return true;
  if (failure_is_caught(loaded.script, move.call)) return false;
  const bool same_function = move.call.scope == loaded.loading.scope;
  const probes::Machine& machine = *loaded.facts.machine;
  if (same_function ? !runs_for_certain(loaded.script, move.call, machine)
                    : !is_reached_for_certain(loaded.script, move.call, machine)) {
    return false;
  }
  const auto behind = loading_call_behind(loaded.script, move.call);
  return behind && behind->range == loaded.loading.range;
}

// transformers, modeling_utils.py: to(), cuda(), half(), float() of a quantized model.
std::optional<LibraryError> quantized_refusal(const LoadedModel& loaded, const Move& move) {
  const std::string& quantizer = loaded.load.settings.quantizer;
  if (!quantizer.starts_with("bitsandbytes")) return std::nullopt;
  const kb::KnowledgeBase& kb = *loaded.facts.kb;
  const ReleasePair& releases = loaded.facts.releases;
  const std::string& method = move.call.method;
  if (method == "half" || method == "float") return known_message(kb, "quantized-cast", "." + method + "()", releases);
  if (method == "to" && move.casts) {
    if (auto refused = known_message(kb, "quantized-cast", "cannot cast a bitsandbytes", releases)) return refused;
  }
  auto refused = known_message(kb, "quantized-to", method == "cuda" ? "`cuda()`" : "`.to`", releases);
  const char* bits = quantizer == "bitsandbytes_4bit" ? "4-bit" : "8-bit";
  if (refused && refused->message.find(bits) == std::string::npos) refused.reset();
  return refused;
}

std::optional<LibraryError> offloaded_refusal(const LoadedModel& loaded, const Move& move) {
  if (!move.device || !holds_meta_weights(loaded.outcome)) return std::nullopt;
  if (auto refused = known_message(*loaded.facts.kb, "move-offloaded-model", "", loaded.facts.releases)) return refused;
  return LibraryError{"NotImplementedError", "Cannot copy out of meta tensor; no data!", {}};
}

// The whole model on one GPU, in the type that casts gave it.
std::optional<Prediction> failure_on(const LoadedModel& loaded, const Device& device, std::optional<DType> type,
                                     TextRange where) {
  if (!on_gpu(device)) return std::nullopt;
  const auto gpus = static_cast<std::int64_t>(loaded.facts.machine->gpus.size());
  if (std::get<std::int64_t>(device) >= gpus) {
    const char* message = gpus == 0 ? "No CUDA GPUs are available" : "CUDA error: invalid device ordinal";
    return Prediction{{"RuntimeError", message, {}}, "", "", where};
  }
  const Model model = type ? cast_to(loaded.model, *type) : loaded.model;
  const Outcome moved =
      simulate_load(loaded.load, model, *loaded.facts.machine, loaded.facts.options, loaded.rules, device);
  if (moved.error) return std::nullopt;
  return out_of_memory(moved, *loaded.facts.machine, where);
}

std::optional<Prediction> failure_of(const LoadedModel& loaded, const Move& move, std::optional<DType> type) {
  std::optional<LibraryError> error;
  if (move.pipeline) {
    // pipelines/base.py: refused wherever the model has a device map
    if (!loaded.outcome.device_map.empty()) {
      error = known_message(*loaded.facts.kb, "pipeline-device-with-accelerate", "", loaded.facts.releases);
    }
  } else {
    error = quantized_refusal(loaded, move);
  }
  if (!error) error = offloaded_refusal(loaded, move);
  if (error) return Prediction{*error, "", "", move.call.range};
  const bool quantized = !loaded.load.settings.quantizer.empty();
  if (!move.device || quantized || !is_readable(loaded, move)) return std::nullopt;
  return failure_on(loaded, *move.device, type, move.call.range);
}

// pipeline("text-generation", "model", device=0) moves what it has loaded itself.
std::optional<Prediction> own_move_failure(const LoadedModel& loaded) {
  const Parameter* device = loaded.load.loader == Loader::pipeline ? loaded.load.find("device") : nullptr;
  if (device == nullptr || !loaded.outcome.device_map.empty() || !loaded.load.settings.quantizer.empty()) {
    return std::nullopt;
  }
  const Value& value = device->value;
  if (value.kind == Value::Kind::integer && value.integer >= 0) {
    return failure_on(loaded, static_cast<std::int64_t>(value.integer), std::nullopt, loaded.loading.range);
  }
  const bool gpu = (value.kind == Value::Kind::text && value.text == "cuda") ||
                   (value.kind == Value::Kind::unknown && is_told(loaded, device->expression));
  return gpu ? failure_on(loaded, std::int64_t{0}, std::nullopt, loaded.loading.range) : std::nullopt;
}

}  // namespace

std::optional<Prediction> out_of_memory(const Outcome& outcome, const probes::Machine& machine, TextRange where) {
  for (const DeviceUse& use : outcome.devices) {
    if (!on_gpu(use.capacity.device) || use.weights_bytes <= use.capacity.usable_bytes) continue;
    const bool amd = std::any_of(machine.gpus.begin(), machine.gpus.end(),
                                 [](const probes::Gpu& gpu) { return gpu.vendor == "amd"; });
    return Prediction{{"torch.OutOfMemoryError", amd ? "HIP out of memory." : "CUDA out of memory.", {}},
                      "the weights take " + readable_size(use.weights_bytes) + "; " +
                          device_words(use.capacity.device) + " has room for " +
                          readable_size(use.capacity.usable_bytes),
                      "cuda-out-of-memory",
                      where};
  }
  return std::nullopt;
}

std::optional<Prediction> move_failure(const LoadedModel& loaded) {
  if (auto failure = own_move_failure(loaded)) return failure;
  std::vector<Move> so_far;
  for (const Move& move : moves_after(loaded.script, loaded.loading)) {
    if (!works_on(loaded, move)) {
      if (move.casts) return std::nullopt;  // whether the weights were cast is not told
      continue;
    }
    so_far.push_back(move);
    if (move.casts && !move.dtype) return std::nullopt;
    if (auto failure = failure_of(loaded, move, dtype_when_moved(loaded.load, so_far))) return failure;
  }
  return std::nullopt;
}

}  // namespace whyfail::fixer
