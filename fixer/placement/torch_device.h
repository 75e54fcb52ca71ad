// Device names as torch reads them: torch.device(…) of a number or text.
#pragma once

#include <string>
#include <string_view>

#include "fixer/placement/budgets.h"

namespace whyfail::fixer {

// "cuda:0" → "cuda"; a number is a cuda device. RuntimeError for what torch does not know.
Outcome<std::string> torch_device_type(const Device& device);

// Whether torch.device(text) accepts it: a known type, optionally ":" and an index without leading zeros.
bool is_torch_device(std::string_view text);

}  // namespace whyfail::fixer
