// What cannot be used of a GPU's free memory: figures that are not measured, each with where it comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "probes/machine.h"

namespace whyfail::probes {

struct Allowance {
  std::uint64_t bytes = 0;
  std::string origin;  // one line for the reader: what it is and whose figure; empty if bytes is 0
  std::string term;    // the same without the figure, for a sum that shows the bytes itself
};

// What a program takes by using the GPU at all, before its first tensor: the CUDA (HIP, Level Zero) context, and under
// WDDM what Windows wants besides. To be taken off what a driver says is free. 0 for "mps", where Metal's working set
// is what a program may use.
Allowance context_allowance(const Gpu& gpu);

// What the desktop holds, where nothing measured says it: 0 if free_bytes is known, or if nothing is known of a
// desktop.
Allowance desktop_allowance(const Gpu& gpu, const std::optional<OperatingSystem>& system);

}  // namespace whyfail::probes
