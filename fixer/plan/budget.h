// From what a machine has free to what a call may use: every term named, all in bytes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fixer/model/model.h"
#include "fixer/placement/place.h"
#include "fixer/plan/fix.h"
#include "probes/machine.h"

namespace whyfail::fixer {

// Tokens for which room is kept when --context is not given: prompt and answer of an ordinary chat turn.
inline constexpr std::uint64_t default_context = 2048;

struct Capacity {
  Device device;
  std::uint64_t free_bytes = 0;     // as measured
  std::uint64_t usable_bytes = 0;   // free less the context: what the library can fill
  std::uint64_t weights_bytes = 0;  // usable less what generating takes: what weights may take
  std::uint64_t cache_bytes = 0;    // KV cache and logits, also where they are more than there is
  std::vector<std::pair<std::string, std::uint64_t>> terms;  // what was taken off, named
};

// GPUs by key, then "cpu", then "disk"; devices whose figures are not known are left out.
std::vector<Capacity> capacities(const probes::Machine& machine, const Model* model, const PlanOptions& options,
                                 const kb::Release& transformers);

// The machine as the library sees it when it asks for free memory: after its own context was made.
PlacementMachine as_library_sees(const probes::Machine& machine);

// max_memory that uses the capacities, as Python text: {0: "21GiB", "cpu": "50GiB"}. Whole units, rounded down.
std::string max_memory_text(const std::vector<Capacity>& capacities);

// "21GiB" or "5888MiB": an integer before the unit, as every release reads it; rounded down to 256 MiB.
std::string size_text(std::uint64_t bytes);
// "13.5 GiB", for people.
std::string readable_size(std::uint64_t bytes);

}  // namespace whyfail::fixer
