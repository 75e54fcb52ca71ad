// Device names as torch reads them: torch.device(…) of a number or text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fixer/placement/budgets.h"
#include "fixer/placement/device_value.h"

namespace whyfail::fixer {

// "cuda:0" → "cuda"; a number is a cuda device. RuntimeError for what torch does not know.
OrError<std::string> torch_device_type(const Device& device);

// Whether torch.device(text) accepts it: a known type, optionally ":" and an index without leading zeros.
bool is_torch_device(std::string_view text);

// Moving a tensor to `device` on this machine: RuntimeError for a name that torch does not know, a GPU that is not
// there.
std::optional<LibraryError> unusable_device(const DeviceValue& device, const PlacementMachine& machine);

}  // namespace whyfail::fixer
