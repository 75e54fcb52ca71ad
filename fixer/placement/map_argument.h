// The device_map argument of from_pretrained, before anything is loaded.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "fixer/placement/budgets.h"
#include "fixer/placement/device_value.h"
#include "fixer/placement/rules.h"

namespace whyfail::fixer {

// As written: nothing, one value, a dict, or something that is neither (a list).
struct MapArgument {
  enum class Kind { none, value, map, list } kind = Kind::none;
  DeviceValue value;
  ValueMap map;
};

// What from_pretrained makes of it.
struct MapChoice {
  enum class Kind {
    none,
    strategy,  // "auto", "balanced", "balanced_low_0", "sequential"
    map,
    unchecked,  // a float or list: passed on as it is
  } kind = Kind::none;
  std::string strategy;
  ValueMap map;
};

// Turns a device name, number or torch.device into a map of the whole model; ValueError for what it can't read.
OrError<MapChoice> choice_of(const MapArgument& argument, const LoadSettings& settings, const Rules& rules);

bool is_strategy(const std::string& text);

}  // namespace whyfail::fixer
