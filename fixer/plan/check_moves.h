// What fails after loading: a move of a quantized or offloaded model, a GPU that does not hold the weights.
#pragma once

#include <optional>

#include "fixer/plan/check.h"

namespace whyfail::fixer {

// Weights that a GPU gets and can't hold even with nothing else on it than a context.
std::optional<Prediction> out_of_memory(const Outcome& outcome, const probes::Machine& machine, TextRange where);

struct LoadedModel {
  const Script& script;
  const Call& loading;
  const LoadCall& load;
  const Model& model;
  const Outcome& outcome;  // of loading, which went well
  const CheckFacts& facts;
  const Rules& rules;
};

// The first of the moves that certainly work on this model and fail.
std::optional<Prediction> move_failure(const LoadedModel& loaded);

}  // namespace whyfail::fixer
