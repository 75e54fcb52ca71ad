// NVIDIA cards: figures from NVML, order and integrated GPUs from the CUDA driver, what CUDA_VISIBLE_DEVICES leaves.
#pragma once

#include "probes/cards.h"
#include "probes/system.h"

namespace whyfail::probes {

struct NvidiaCards {
  Cards cards;
  bool library_missing = false;  // then reasons is empty and this is the reason, unless another vendor's GPU is there
  std::string missing_reason;
  bool certain = true;  // false: there may be cards that could not be listed
};

NvidiaCards nvidia_cards(const System& system, const Memory& memory, bool wsl);

}  // namespace whyfail::probes
