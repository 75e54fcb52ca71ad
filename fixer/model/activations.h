// The module class that transformers makes for an activation's name in a config.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kb/release.h"

namespace whyfail::fixer {

// "gelu_new" → "NewGELUActivation", "gated-gelu" (t5) likewise; nullopt: not known, or a module with weights of its
// own. Source: transformers activations.py (ACT2CLS) of 4.30.2 to 5.23.0.
std::optional<std::string> activation_class(std::string_view name, const kb::Release& transformers);

}  // namespace whyfail::fixer
