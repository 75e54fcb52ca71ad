// What the callers of the enclosing function pass for a parameter of a loading call.
#pragma once

#include <optional>
#include <string>

#include "fixer/plan/load_call.h"

namespace whyfail::fixer {

// The literal that the only call of the enclosing function gives for a parameter: load_model("models/x") → path.
// Nothing if calls give different ones, or something else than a text.
std::optional<std::string> argument_of_caller(const Script& script, const Call& call, const Parameter& parameter);

// The model of a loading call that does not name it itself: what the caller of its function, its lambda or its partial
// gives.
std::optional<std::string> model_named_elsewhere(const Script& script, const Call& call, const LoadCall& load);

}  // namespace whyfail::fixer
