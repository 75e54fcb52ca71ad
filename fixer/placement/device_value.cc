// Conversions between a map's values and plain devices.
#include "fixer/placement/device_value.h"

#include <algorithm>

namespace whyfail::fixer {

std::string DeviceValue::name() const {
  switch (kind) {
    case Kind::number:
      return std::to_string(number);
    case Kind::boolean:
      return number != 0 ? "True" : "False";
    case Kind::none:
      return "None";
    case Kind::real:
      return std::to_string(real);
    case Kind::text:
    case Kind::torch_device:
      break;
  }
  return text;
}

ValueMap with_values(const DeviceMap& map) {
  ValueMap values;
  for (const auto& [key, device] : map) {
    const std::int64_t* number = std::get_if<std::int64_t>(&device);
    values.emplace_back(
        key, number != nullptr ? DeviceValue::of_number(*number) : DeviceValue::of_text(std::get<std::string>(device)));
  }
  return values;
}

DeviceMap plain(const ValueMap& map) {
  DeviceMap devices;
  for (const auto& [key, value] : map) {
    const bool number = value.kind == DeviceValue::Kind::number || value.kind == DeviceValue::Kind::boolean;
    devices.emplace_back(key, number ? Device(value.number) : Device(value.name()));
  }
  return devices;
}

bool has_text_value(const ValueMap& map, std::string_view name) {
  return std::any_of(map.begin(), map.end(), [&](const auto& entry) { return entry.second.is_text(name); });
}

}  // namespace whyfail::fixer
