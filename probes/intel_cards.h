// Intel GPUs: figures from Level Zero, devices as ZE_AFFINITY_MASK and ZE_FLAT_DEVICE_HIERARCHY leave them.
#pragma once

#include "probes/cards.h"
#include "probes/system.h"

namespace whyfail::probes {

struct IntelCards {
  Cards cards;
  std::string level_zero_reason;  // not empty: cards are listed from sysfs only, and why
};

IntelCards intel_cards(const System& system, const Memory& memory);

}  // namespace whyfail::probes
