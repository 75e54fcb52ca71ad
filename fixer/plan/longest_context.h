// How much context a placement leaves room for.
#pragma once

#include <cstdint>
#include <optional>

#include "fixer/plan/simulate.h"

namespace whyfail::fixer {

// Tokens a sequence for which `outcome` would fit, where it does not fit for the context asked for (or the default
// one); nothing if it is not the cache that is in the way. `model` as that load makes it. The cache is taken to be
// spread over the GPUs evenly, as budget.h does it.
std::optional<std::uint64_t> longest_context(const Outcome& outcome, const Model& model, const probes::Machine& machine,
                                             const PlanOptions& options, const kb::Release& transformers);

}  // namespace whyfail::fixer
