// transformers/modeling_utils.py from_pretrained; from 5.0 integrations/accelerate.py check_and_set_device_map.
#include "fixer/placement/map_argument.h"

#include "fixer/placement/torch_device.h"

namespace whyfail::fixer {

namespace {

MapChoice whole_model_on(DeviceValue device) {
  MapChoice choice;
  choice.kind = MapChoice::Kind::map;
  choice.map.emplace_back("", std::move(device));
  return choice;
}

OrError<MapChoice> choice_of_text(const std::string& text, const Rules& rules) {
  if (is_strategy(text)) {
    MapChoice choice;
    choice.kind = MapChoice::Kind::strategy;
    choice.strategy = text;
    return choice;
  }
  if (!is_torch_device(text)) {
    return library_error("ValueError",
                         "When passing device_map as a string, the value needs to be a device name (e.g. cpu, cuda:0) "
                         "or 'auto', 'balanced', 'balanced_low_0', 'sequential' but found " +
                             text + ".");
  }
  return whole_model_on(DeviceValue::of_torch(text == "cuda" && rules.cuda_becomes_cuda_0 ? "cuda:0" : text));
}

OrError<MapChoice> choice_of_value(const DeviceValue& value, const Rules& rules) {
  switch (value.kind) {
    case DeviceValue::Kind::text:
      return choice_of_text(value.text, rules);
    case DeviceValue::Kind::number:
      if (value.number < 0) {
        return library_error("ValueError",
                             "You can't pass device_map as a negative int. If you want to put the model on the cpu, "
                             "pass device_map = 'cpu' ");
      }
      return whole_model_on(value);
    case DeviceValue::Kind::boolean:
    case DeviceValue::Kind::torch_device:
      return whole_model_on(value);
    case DeviceValue::Kind::none:
      return MapChoice{};
    case DeviceValue::Kind::real:
      break;
  }
  MapChoice unchecked;
  unchecked.kind = MapChoice::Kind::unchecked;
  return unchecked;
}

}  // namespace

bool is_strategy(const std::string& text) {
  return text == "auto" || text == "balanced" || text == "balanced_low_0" || text == "sequential";
}

OrError<MapChoice> choice_of(const MapArgument& argument, const LoadSettings& settings, const Rules& rules) {
  MapChoice made;
  switch (argument.kind) {
    case MapArgument::Kind::none:
      return made;
    case MapArgument::Kind::map:
      made.kind = MapChoice::Kind::map;
      made.map = argument.map;
      break;
    case MapArgument::Kind::list:
      made.kind = MapChoice::Kind::unchecked;
      break;
    case MapArgument::Kind::value: {
      OrError<MapChoice> read = choice_of_value(argument.value, rules);
      if (std::holds_alternative<LibraryError>(read)) return read;
      made = std::get<MapChoice>(std::move(read));
      break;
    }
  }
  if (made.kind != MapChoice::Kind::none && !settings.low_cpu_mem_usage && rules.low_cpu_mem_usage_required) {
    return library_error("ValueError", rules.low_cpu_mem_usage_names_tp_plan
                                           ? "Passing along a `device_map` or a `tp_plan` requires "
                                             "`low_cpu_mem_usage=True`"
                                           : "Passing along a `device_map` requires `low_cpu_mem_usage=True`");
  }
  return made;
}

}  // namespace whyfail::fixer
