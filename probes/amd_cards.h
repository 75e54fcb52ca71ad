// AMD cards as the amdgpu driver shows them in sysfs, and what ROCR_ and HIP_VISIBLE_DEVICES leave.
#pragma once

#include "probes/cards.h"
#include "probes/system.h"

namespace whyfail::probes {

Cards amd_cards(const System& system, const Memory& memory);

}  // namespace whyfail::probes
