// bitsandbytes by its own rules, the others by the conditions of QuantizerRules.
#include "fixer/placement/quantizer_checks.h"

#include <algorithm>

#include "fixer/placement/budgets.h"
#include "fixer/placement/one_device.h"

namespace whyfail::fixer {

namespace {

bool is_bitsandbytes(const LoadSettings& settings) { return settings.quantizer.starts_with("bitsandbytes"); }

bool on_cpu_or_disk(const DeviceValue& value) { return value.is_text("cpu") || value.is_text("disk"); }

bool any_on_cpu_or_disk(const ValueMap& map) {
  return std::any_of(map.begin(), map.end(), [](const auto& entry) { return on_cpu_or_disk(entry.second); });
}

bool all_on_cpu(const ValueMap& map) {
  return !map.empty() &&
         std::all_of(map.begin(), map.end(), [](const auto& entry) { return entry.second.is_text("cpu"); });
}

LibraryError offload_refused(const Rules& rules) {
  const std::string flag =
      rules.offload_flag_named_llm_int8 ? "llm_int8_enable_fp32_cpu_offload" : "load_in_8bit_fp32_cpu_offload";
  return library_error(
      "ValueError",
      "Some modules are dispatched on the CPU or the disk. Make sure you have enough GPU RAM to fit the quantized "
      "model. If you want to dispatch the model on the CPU or the disk while keeping these modules in 32-bit, you need "
      "to set `" +
          flag +
          "=True` and pass a custom `device_map` to `from_pretrained`. Check "
          "https://huggingface.co/docs/transformers/main/en/main_classes/quantization#offload-between-cpu-and-gpu for "
          "more details. ");
}

LibraryError offload_flag_missing() {
  return library_error("ValueError",
                       "If you want to offload some keys to `cpu` or `disk`, you need to set "
                       "`llm_int8_enable_fp32_cpu_offload=True`. Note that these modules will not be  converted to "
                       "8-bit but kept in 32-bit.");
}

bool offloads_beyond(const ValueMap& map, const std::vector<std::string>& exempt) {
  return std::any_of(map.begin(), map.end(), [&](const auto& entry) {
    return on_cpu_or_disk(entry.second) && std::find(exempt.begin(), exempt.end(), entry.first) == exempt.end();
  });
}

std::optional<LibraryError> bitsandbytes_refusal(const LoadSettings& settings, const ValueMap& map,
                                                 const std::vector<std::string>& exempt, const Rules& rules) {
  if (settings.fp32_cpu_offload && rules.bitsandbytes_is_quantizer) return std::nullopt;
  if (rules.bitsandbytes_all_on_cpu_passes && all_on_cpu(map)) return std::nullopt;
  const bool refused = rules.bitsandbytes_strict ? any_on_cpu_or_disk(map) : offloads_beyond(map, exempt);
  if (refused) return offload_refused(rules);
  return std::nullopt;
}

bool meets(Refuses condition, const ValueMap& map, bool torch_cpu_counts) {
  bool cpu = has_text_value(map, "cpu");
  const bool disk = has_text_value(map, "disk");
  if (torch_cpu_counts) {
    cpu = cpu || std::any_of(map.begin(), map.end(), [](const auto& entry) {
            return entry.second.kind == DeviceValue::Kind::torch_device && entry.second.text == "cpu";
          });
  }
  const bool several = map.size() > 1;
  switch (condition) {
    case Refuses::never:
      return false;
    case Refuses::cpu_or_disk:
      return cpu || disk;
    case Refuses::disk:
      return disk;
    case Refuses::several_with_disk:
      return several && disk;
    case Refuses::several_with_cpu_disk:
      return several && (cpu || disk);
    case Refuses::most:
      return (several && cpu) || disk;
  }
  return false;
}

// An older bitsandbytes without a GPU, as far as that is an error for this call.
std::optional<LibraryError> no_gpu_refusal(const QuantizerRules& quantizer, bool given,
                                           const PlacementMachine& machine) {
  const bool has_gpu = quantizer.needs_mps ? machine.mps : !machine.gpus.empty();
  if (has_gpu || *quantizer.no_gpu_error == '\0') return std::nullopt;
  if (quantizer.no_gpu_matters_without_map_only && given) return std::nullopt;
  return library_error(quantizer.no_gpu_error, quantizer.no_gpu_text);
}

}  // namespace

std::optional<LibraryError> quantizer_refusal(const LoadSettings& settings, MapState state, const ValueMap& map,
                                              const std::vector<std::string>& exempt, const PlacementMachine& machine,
                                              const Rules& rules) {
  if (settings.quantizer.empty()) return std::nullopt;
  const QuantizerRules quantizer = quantizer_rules(settings.quantizer, settings.pre_quantized, rules);
  if (settings.pre_quantized && *quantizer.pre_quantized_refusal != '\0') {
    return library_error("ValueError", quantizer.pre_quantized_refusal);
  }
  if (std::optional<LibraryError> error = no_gpu_refusal(quantizer, state != MapState::not_given, machine))
    return error;
  if (quantizer.one_device != OneDevice::not_asked) return one_device_refusal(quantizer.one_device, state, map);
  if (is_bitsandbytes(settings)) return bitsandbytes_refusal(settings, map, exempt, rules);
  if (quantizer.needs_map && state == MapState::not_given) {
    const bool higgs = settings.quantizer == "higgs";
    return library_error("ValueError", std::string("You are attempting to load a ") + (higgs ? "HIGGS" : "FPQuant") +
                                           " model without setting device_map. Please set device_map comprised of "
                                           "'cuda' devices.");
  }
  if (machine.gpus.empty() && *quantizer.refusal_without_gpu != '\0') {
    if (!meets(quantizer.refuses_without_gpu, map, false)) return std::nullopt;
    return library_error("ValueError", quantizer.refusal_without_gpu);
  }
  if (machine.gpus.empty() && quantizer.accepts_all_without_gpu) return std::nullopt;
  if (!meets(quantizer.refuses, map, quantizer.torch_device_cpu_refused)) return std::nullopt;
  return library_error("ValueError", quantizer.refusal);
}

std::optional<LibraryError> automatic_map_refusal(const LoadSettings& settings, const ValueMap& map,
                                                  const std::vector<std::string>& not_converted,
                                                  const PlacementMachine& machine, const Rules& rules) {
  if (is_bitsandbytes(settings) && !rules.bitsandbytes_is_quantizer) {
    return bitsandbytes_refusal(settings, map, not_converted, rules);
  }
  return quantizer_refusal(settings, MapState::map, map, not_converted, machine, rules);
}

std::optional<LibraryError> given_map_refusal(const LoadSettings& settings, bool given, MapState state,
                                              const ValueMap& map, const PlacementMachine& machine,
                                              const Rules& rules) {
  if (settings.quantizer.empty()) return std::nullopt;
  const QuantizerRules quantizer = quantizer_rules(settings.quantizer, settings.pre_quantized, rules);
  if (is_bitsandbytes(settings) && !rules.bitsandbytes_is_quantizer) {
    if (std::optional<LibraryError> error = no_gpu_refusal(quantizer, given, machine)) return error;
  } else {
    static const ValueMap kNone;
    const MapState seen = given ? state : MapState::not_given;
    std::optional<LibraryError> error =
        quantizer_refusal(settings, seen, seen == MapState::map ? map : kNone, settings.skip_modules, machine, rules);
    if (error) return error;
  }
  if (is_bitsandbytes(settings) && rules.bitsandbytes_second_check && map.size() > 1 && !settings.fp32_cpu_offload &&
      any_on_cpu_or_disk(map)) {
    return offload_flag_missing();
  }
  return std::nullopt;
}

std::optional<ValueMap> quantizer_default_map(const LoadSettings& settings, const PlacementMachine& machine,
                                              const Rules& rules) {
  const QuantizerRules quantizer = quantizer_rules(settings.quantizer, settings.pre_quantized, rules);
  const auto whole = [](DeviceValue value) { return ValueMap{{"", std::move(value)}}; };
  switch (quantizer.default_map) {
    case DefaultMap::none:
      return std::nullopt;
    case DefaultMap::gpu_0_or_cpu:
      return whole(machine.gpus.empty() ? DeviceValue::of_text("cpu") : DeviceValue::of_number(0));
    case DefaultMap::gpu_0:
      return whole(DeviceValue::of_number(0));
    case DefaultMap::cpu:
      return whole(DeviceValue::of_text("cpu"));
    case DefaultMap::torch_cpu:
      return whole(DeviceValue::of_torch("cpu"));
    case DefaultMap::mps:
      return whole(DeviceValue::of_text("mps"));
  }
  return std::nullopt;
}

}  // namespace whyfail::fixer
