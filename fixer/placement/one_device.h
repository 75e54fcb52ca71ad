// Quantizers of transformers that load on one device only, and what they say to other maps.
#pragma once

#include <optional>

#include "fixer/placement/budgets.h"
#include "fixer/placement/device_value.h"
#include "fixer/placement/quantizer_checks.h"

namespace whyfail::fixer {

// transformers/quantizers/quantizer_sinq.py (from 5.5.0) and quantizer_nvfp4.py (from 5.16.0) validate_environment.
// Nothing: it accepts. NVFP4 also asks for compute capability 10, which is not looked at here.
std::optional<LibraryError> one_device_refusal(OneDevice rule, MapState state, const ValueMap& map);

}  // namespace whyfail::fixer
