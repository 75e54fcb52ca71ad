// What a quantizer says to a device map before anything is loaded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fixer/placement/device_value.h"
#include "fixer/placement/rules.h"

namespace whyfail::fixer {

// How the device_map stands when the quantizer is asked.
enum class MapState {
  not_given,
  strategy,  // still a word such as "auto"
  map,
};

// validate_environment. `exempt`: keys that bitsandbytes does not look at (4.x). Nothing: it accepts.
std::optional<LibraryError> quantizer_refusal(const LoadSettings& settings, MapState state, const ValueMap& map,
                                              const std::vector<std::string>& exempt, const PlacementMachine& machine,
                                              const Rules& rules);

// The check of a finished automatic map.
std::optional<LibraryError> automatic_map_refusal(const LoadSettings& settings, const ValueMap& map,
                                                  const std::vector<std::string>& not_converted,
                                                  const PlacementMachine& machine, const Rules& rules);

// All checks of a map, or of a strategy, that the caller gave. `given`: device_map was not None.
std::optional<LibraryError> given_map_refusal(const LoadSettings& settings, bool given, MapState state,
                                              const ValueMap& map, const PlacementMachine& machine, const Rules& rules);

// update_device_map: what the quantizer puts in place of None; nothing where it leaves None.
std::optional<ValueMap> quantizer_default_map(const LoadSettings& settings, const PlacementMachine& machine,
                                              const Rules& rules);

}  // namespace whyfail::fixer
