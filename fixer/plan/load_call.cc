// Reads a loading call's parameters, wherever they are written.
#include "fixer/plan/load_call.h"

#include <array>
#include <utility>

#include "fixer/call/arguments.h"

namespace whyfail::fixer {
namespace {

using Kind = Value::Kind;

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string_view last_part(std::string_view dotted) {
  const auto dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

Loader loader_of(std::string_view callee) {
  const std::string_view name = last_part(callee);
  if (name == "from_pretrained") return Loader::from_pretrained;
  if (name == "from_config") return Loader::from_config;
  if (name == "pipeline") return Loader::pipeline;
  if (name == "load_checkpoint_and_dispatch" || name == "load_checkpoint_in_model") return Loader::checkpoint;
  if (name == "dispatch_model") return Loader::dispatch;
  if (name == "infer_auto_device_map") return Loader::infer;
  return Loader::other;
}

void add_entries(const Value& value, Parameter::Place place, LoadCall& load) {
  if (value.kind == Kind::dict) {
    for (const auto& [key, entry] : value.pairs) {
      if (key.kind != Kind::text) {
        load.opaque = true;
        continue;
      }
      load.parameters.push_back({key.text, place, entry, entry.range, {key.range.begin, entry.range.end}});
    }
  } else if (value.kind == Kind::call && value.text == "dict" && value.items.empty()) {
    for (const auto& [key, entry] : value.keywords) {
      load.parameters.push_back({key, place, entry, entry.range, entry.range});
    }
  } else {
    load.opaque = true;
  }
}

void collect(const Script& script, const Call& call, LoadCall& load) {
  const auto names = positional_parameters(call.callee.empty() ? call.method : call.callee);
  std::size_t position = 0;
  for (const Argument& argument : call.arguments) {
    const Value value = script.value_of(argument.value);
    switch (argument.kind) {
      case Argument::Kind::positional:
        if (position < names.size()) {
          load.parameters.push_back(
              {std::string(names[position]), Parameter::Place::positional, value, argument.value, argument.range});
        }
        ++position;
        break;
      case Argument::Kind::keyword:
        load.parameters.push_back({argument.name, Parameter::Place::argument, value, argument.value, argument.range});
        if (load.loader == Loader::pipeline && argument.name == "model_kwargs") {
          add_entries(value, Parameter::Place::model_kwargs, load);
        }
        break;
      case Argument::Kind::star:
        load.opaque = true;
        break;
      case Argument::Kind::double_star:
        add_entries(value, Parameter::Place::spread, load);
        break;
    }
  }
}

bool is_torch_device(const Value& value) {
  return value.kind == Kind::call && ends_with(value.text, "torch.device") && !value.items.empty() &&
         value.items.size() <= 2 && value.keywords.empty();
}

void read_device_map(const Value& value, LoadCall& load) {
  DeviceMapArgument& argument = load.device_map;
  switch (value.kind) {
    case Kind::none:
      return;
    case Kind::text:
      argument.kind = DeviceMapArgument::Kind::text;
      argument.text = value.text;
      return;
    case Kind::integer:
      argument.kind = DeviceMapArgument::Kind::integer;
      argument.integer = value.integer;
      return;
    case Kind::call:
      if (const auto device = device_of(value)) {
        argument.kind = DeviceMapArgument::Kind::map;
        argument.map = {{"", *device}};
        return;
      }
      break;
    case Kind::dict:
      argument.kind = DeviceMapArgument::Kind::map;
      for (const auto& [key, entry] : value.pairs) {
        const auto device = device_of(entry);
        if (key.kind != Kind::text || !device) {
          load.device_map_unreadable = true;
          return;
        }
        argument.map.emplace_back(key.text, *device);
      }
      return;
    default:
      break;
  }
  argument.kind = DeviceMapArgument::Kind::other;
  load.device_map_unreadable = true;
}

void read_max_memory(const Value& value, LoadCall& load) {
  if (value.kind == Kind::none) return;
  if (value.kind != Kind::dict) {
    load.max_memory_unreadable = true;
    return;
  }
  Budgets budgets;
  for (const auto& [key, entry] : value.pairs) {
    Device device;
    if (key.kind == Kind::integer) {
      device = static_cast<std::int64_t>(key.integer);
    } else if (key.kind == Kind::text) {
      device = key.text;
    } else {
      load.max_memory_unreadable = true;
      return;
    }
    if (entry.kind == Kind::integer) {
      budgets.emplace_back(device, static_cast<std::int64_t>(entry.integer));
    } else if (entry.kind == Kind::floating) {
      budgets.emplace_back(device, entry.floating);
    } else if (entry.kind == Kind::text) {
      budgets.emplace_back(device, entry.text);
    } else {
      load.max_memory_unreadable = true;
      return;
    }
  }
  load.max_memory = std::move(budgets);
}

void read_dtype(const Value& value, LoadCall& load) {
  if (value.kind == Kind::none) return;
  if (value.kind == Kind::text && value.text == "auto") {
    load.dtype_auto = true;
    return;
  }
  DType type{};
  if ((value.kind == Kind::attribute || value.kind == Kind::text) && parse_dtype(value.text, type)) {
    load.dtype = type;
  } else {
    load.dtype_unreadable = true;
  }
}

bool is_true(const Value& value) { return value.kind == Kind::boolean && value.boolean; }

// The quantizer that a config class asks for (transformers 5.23, utils/quantization_config.py).
std::string quantizer_of(std::string_view config_class) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 15> table = {{
      {"GPTQConfig", "gptq"},
      {"AwqConfig", "awq"},
      {"AqlmConfig", "aqlm"},
      {"HqqConfig", "hqq"},
      {"QuantoConfig", "quanto"},
      {"TorchAoConfig", "torchao"},
      {"EetqConfig", "eetq"},
      {"FbgemmFp8Config", "fbgemm_fp8"},
      {"FineGrainedFP8Config", "fp8"},
      {"Mxfp4Config", "mxfp4"},
      {"HiggsConfig", "higgs"},
      {"FPQuantConfig", "fp_quant"},
      {"CompressedTensorsConfig", "compressed-tensors"},
      {"AutoRoundConfig", "auto-round"},
      {"VptqConfig", "vptq"},
  }};
  for (const auto& [name, quantizer] : table) {
    if (name == config_class) return std::string(quantizer);
  }
  return "";
}

void read_quantization_flag(std::string_view name, const Value& value, LoadCall& load) {
  if (name == "load_in_8bit" || name == "load_in_4bit") {
    if (value.kind == Kind::unknown) load.quantization_unreadable = true;
    if (is_true(value)) load.settings.quantizer = name == "load_in_8bit" ? "bitsandbytes_8bit" : "bitsandbytes_4bit";
  } else if (name == "llm_int8_enable_fp32_cpu_offload") {
    load.settings.fp32_cpu_offload = is_true(value);
  } else if (name == "llm_int8_skip_modules" && value.kind == Kind::list) {
    for (const Value& item : value.items) load.settings.skip_modules.push_back(item.text);
  }
}

void read_quantization_config(const Value& value, LoadCall& load) {
  if (value.kind == Kind::none) return;
  if (value.kind != Kind::call) {
    load.quantization_unreadable = true;
    return;
  }
  const std::string_view name = last_part(value.text);
  if (name == "BitsAndBytesConfig") {
    for (const auto& [key, entry] : value.keywords) read_quantization_flag(key, entry, load);
    return;
  }
  load.settings.quantizer = quantizer_of(name);
  if (load.settings.quantizer.empty()) load.quantization_unreadable = true;
}

void interpret(const Parameter& parameter, LoadCall& load) {
  const std::string& name = parameter.name;
  const Value& value = parameter.value;
  const bool names_model = load.loader == Loader::pipeline ? name == "model" : name == "pretrained_model_name_or_path";
  if (names_model) {
    if (value.kind == Kind::text) load.model = value.text;
  } else if (name == "device_map") {
    read_device_map(value, load);
  } else if (name == "max_memory") {
    read_max_memory(value, load);
  } else if (name == "torch_dtype" || name == "dtype") {
    read_dtype(value, load);
  } else if (name == "quantization_config") {
    read_quantization_config(value, load);
  } else if (name == "offload_folder" || name == "offload_dir") {
    load.settings.offload_folder = value.kind != Kind::none;
  } else {
    read_quantization_flag(name, value, load);
  }
}

}  // namespace

std::optional<Device> device_of(const Value& value) {
  if (value.kind == Kind::integer) return Device(static_cast<std::int64_t>(value.integer));
  if (value.kind == Kind::text) return Device(value.text);
  if (!is_torch_device(value)) return std::nullopt;
  const Value& first = value.items.front();
  if (value.items.size() == 1) return first.kind == Kind::call ? std::nullopt : device_of(first);
  const Value& number = value.items.back();
  if (first.kind != Kind::text || number.kind != Kind::integer) return std::nullopt;
  return Device(first.text + ":" + std::to_string(number.integer));
}

const Parameter* LoadCall::find(std::string_view name) const {
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

std::string class_of(std::string_view callee) {
  const auto dot = callee.rfind('.');
  return dot == std::string_view::npos ? "" : std::string(last_part(callee.substr(0, dot)));
}

LoadCall read_load(const Script& script, const Call& call) {
  LoadCall load;
  load.loader = loader_of(call.callee.empty() ? call.method : call.callee);
  if (load.loader == Loader::from_pretrained || load.loader == Loader::from_config) {
    load.class_name = class_of(script.qualified_callee(call));
  }
  collect(script, call, load);
  // By position, so that parameters may be added while this is read.
  for (std::size_t i = 0; i < load.parameters.size(); ++i) interpret(Parameter(load.parameters[i]), load);
  return load;
}

}  // namespace whyfail::fixer
