// A value of a device_map as Python holds it, and maps of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fixer/placement/place.h"

namespace whyfail::fixer {

struct DeviceValue {
  enum class Kind { number, text, torch_device, none, boolean, real };
  Kind kind = Kind::text;
  std::int64_t number = 0;  // number; boolean: 0 or 1
  std::string text;         // text; torch_device: what it was made from
  double real = 0;

  bool operator==(const DeviceValue&) const = default;
  bool is_text(std::string_view name) const { return kind == Kind::text && text == name; }
  // The device's name whatever it is written as: "cpu", "0", "None".
  std::string name() const;

  static DeviceValue of_number(std::int64_t number) { return {Kind::number, number, {}, 0}; }
  static DeviceValue of_text(std::string text) { return {Kind::text, 0, std::move(text), 0}; }
  static DeviceValue of_torch(std::string text) { return {Kind::torch_device, 0, std::move(text), 0}; }
};

// In the user's order, each key once.
using ValueMap = std::vector<std::pair<std::string, DeviceValue>>;

ValueMap with_values(const DeviceMap& map);
// torch.device("cpu") and the like become plain names; None becomes "None".
DeviceMap plain(const ValueMap& map);

// Whether any value is the plain string `name`.
bool has_text_value(const ValueMap& map, std::string_view name);

}  // namespace whyfail::fixer
