// Runs the placement, then asks of every device whether it holds what it was given.
#include "fixer/plan/simulate.h"

#include <algorithm>
#include <charconv>

#include "fixer/plan/load_peak.h"

namespace whyfail::fixer {
namespace {

bool on_gpu(const Device& device) {
  return std::holds_alternative<std::int64_t>(device) || std::get<std::string>(device) == "mps";
}

// Weights that stay in the checkpoint's own safetensors files need no room on the offload disk (transformers ≥ 4.33
// reads them in place); everything else is written there.
bool written_to_disk(const Model& model, const LoadSettings& settings) {
  return !model.safetensors || !settings.quantizer.empty() || model.converts_on_load;
}

struct Weights {
  Device device;
  std::uint64_t bytes = 0;
};

void judge(Outcome& outcome, const std::vector<Capacity>& capacities, const std::vector<Weights>& weights,
           bool disk_is_written) {
  outcome.fits = true;
  for (const Capacity& capacity : capacities) outcome.devices.push_back({capacity, 0, true});
  for (const Weights& part : weights) {
    const bool disk = part.device == Device(std::string("disk"));
    if (!on_gpu(part.device)) outcome.offloaded_bytes += part.bytes;
    if (disk) outcome.disk_bytes += part.bytes;
    auto use = std::find_if(outcome.devices.begin(), outcome.devices.end(),
                            [&](const DeviceUse& each) { return each.capacity.device == part.device; });
    const std::uint64_t room = use == outcome.devices.end() ? 0 : use->capacity.weights_bytes;
    if (use != outcome.devices.end()) {
      use->weights_bytes = part.bytes;
      use->read_in_place = disk && !disk_is_written;
    }
    if (part.bytes <= room || (disk && !disk_is_written)) continue;
    outcome.fits = false;
    if (use != outcome.devices.end()) use->fits = false;
    if (part.bytes - room > outcome.short_bytes) {
      outcome.short_bytes = part.bytes - room;
      outcome.short_device = device_words(part.device);
    }
  }
}

std::vector<Weights> weights_of(const Model& model, const DeviceMap& map, const LoadSettings& settings,
                                const Rules& rules, const Moved& moved) {
  std::vector<Weights> weights;
  DeviceMap effective = map;
  if (effective.empty()) effective = {{"", std::string("cpu")}};
  if (moved) effective = {{"", *moved}};
  for (const auto& [device, bytes] : bytes_by_device(model.tree, model.facts, effective, settings, rules)) {
    const Device key = normalized(device);
    auto same = std::find_if(weights.begin(), weights.end(), [&](const Weights& each) { return each.device == key; });
    if (same == weights.end()) {
      weights.push_back({key, bytes});
    } else {
      same->bytes += bytes;
    }
  }
  return weights;
}

bool holds_offloaded(const DeviceMap& map) {
  return std::any_of(map.begin(), map.end(), [](const auto& entry) {
    const auto* name = std::get_if<std::string>(&entry.second);
    return name != nullptr && (*name == "cpu" || *name == "disk");
  });
}

// The kernels that are chosen for a GPTQ or AWQ checkpoint unless the call says otherwise run on the GPU only:
// auto_gptq 0.7.1 nn_modules/qlinear/qlinear_exllama.py and qlinear_exllamav2.py assert it after loading, optimum 1.13
// gptq/quantizer.py post_init_model refuses a first module on the CPU, transformers 4.x refuses AWQ maps with the CPU.
// gptqmodel chooses among more kernels; no mixed map of it was seen to load.
bool kernels_need_gpu(const Model& model, const LoadSettings& asked) {
  return asked.quantizer.empty() && model.packed && (model.quantizer == "gptq" || model.quantizer == "awq");
}

void need_every_module_on_gpu(Outcome& outcome, const Model& model) {
  const bool gpu_used = std::any_of(outcome.devices.begin(), outcome.devices.end(), [](const DeviceUse& use) {
    return on_gpu(use.capacity.device) && use.weights_bytes != 0;
  });
  if (!gpu_used || outcome.offloaded_bytes == 0) return;
  outcome.fits = false;
  outcome.short_bytes = std::max(outcome.short_bytes, outcome.offloaded_bytes);
  outcome.short_device = "the GPUs, where the kernels of " + model.quantizer + " need every module";
}

// A checkpoint that is quantized already brings its quantizer along.
void use_own_quantizer(const Model& model, LoadSettings& settings) {
  settings.quantizer = model.quantizer;
  settings.pre_quantized = model.packed;
  settings.double_quantization = model.double_quantization;
  settings.skip_modules = model.skip_modules;
}

}  // namespace

Device normalized(const Device& device) {
  const auto* name = std::get_if<std::string>(&device);
  if (name == nullptr) return device;
  if (*name == "cuda") return std::int64_t{0};
  if (name->rfind("cuda:", 0) == 0) {
    std::int64_t index = 0;
    const auto [end, error] = std::from_chars(name->data() + 5, name->data() + name->size(), index);
    if (error == std::errc() && end == name->data() + name->size()) return index;
  }
  return device;
}

std::string device_words(const Device& device) {
  if (const auto* index = std::get_if<std::int64_t>(&device)) return "GPU " + std::to_string(*index);
  const std::string& name = std::get<std::string>(device);
  if (name == "cpu") return "RAM";
  if (name == "disk") return "the disk";
  if (name == "mps") return "the GPU (mps)";
  return name;
}

Outcome simulate_load(const LoadCall& load, const Model& model, const probes::Machine& machine,
                      const PlanOptions& options, const Rules& rules, const Moved& moved, const Model* as_loaded) {
  Outcome outcome;
  LoadSettings settings = load.settings;
  settings.safetensors = model.safetensors;
  settings.dtype = model.dtype;
  if (settings.quantizer.empty()) use_own_quantizer(model, settings);
  const PlacementResult result =
      place(model.tree, model.facts, load.device_map, load.max_memory, as_library_sees(machine), settings, rules);
  if (const auto* error = std::get_if<LibraryError>(&result)) {
    outcome.error = *error;
    for (const Capacity& capacity : capacities(machine, &model, options, rules.transformers)) {
      outcome.devices.push_back({capacity, 0, true});
    }
    return outcome;
  }
  const auto& placed = std::get<Placed>(result);
  outcome.device_map = placed.device_map;
  outcome.max_memory = placed.max_memory;
  outcome.passed_over = placed.passed_over;
  const bool unmovable = !settings.quantizer.empty() && !model.packed;
  if (moved && (holds_offloaded(placed.device_map) || unmovable)) {
    outcome.error =
        LibraryError{"RuntimeError", "a dispatched or quantized model is moved after loading", placed.device_map};
    return outcome;
  }
  outcome.other_orders = placed.other_orders;
  outcome.read_not_run = placed.read_not_run;
  const std::vector<Capacity> room = capacities(machine, &model, options, rules.transformers);
  const bool written = written_to_disk(model, settings);
  const bool one_memory =
      std::any_of(machine.gpus.begin(), machine.gpus.end(), [](const probes::Gpu& gpu) { return gpu.unified; });
  const auto fill = [&](Outcome& filled, const DeviceMap& map) {
    judge(filled, room, weights_of(model, map, settings, rules, moved), written);
    add_load_peaks(filled, load, as_loaded != nullptr ? *as_loaded : model, settings, map, rules, moved, one_memory);
    if (kernels_need_gpu(model, load.settings)) need_every_module_on_gpu(filled, model);
  };
  fill(outcome, placed.device_map);
  // What is called a fix has to load whatever order the sets have in that run.
  for (const OtherOrder& other : placed.other_orders) {
    if (!outcome.fits) break;
    if (!other.error.empty()) {
      outcome.error = LibraryError{other.error, other.message, other.device_map};
      outcome.fits = false;
      break;
    }
    Outcome filled;
    fill(filled, other.device_map);
    if (filled.fits) continue;
    outcome.fits = false;
    outcome.short_bytes = filled.short_bytes;
    outcome.short_device = filled.short_device;
  }
  return outcome;
}

}  // namespace whyfail::fixer
