// Figures of cards.
#include "probes/cards.h"

namespace whyfail::probes {

void set_figures(Gpu& gpu, Figure total, Figure free, std::vector<std::string>& reasons) {
  if (total && *total <= 0) {
    reasons.push_back("the driver gives a total of " + std::to_string(*total) + " bytes for " + gpu.name);
    return;
  }
  if (total) gpu.total_bytes = static_cast<std::uint64_t>(*total);
  if (!free) return;
  if (*free < 0 || (total && *free > *total)) {
    reasons.push_back("the driver says that " + std::to_string(*free) + " bytes are free on " + gpu.name +
                      ", which cannot be");
    return;
  }
  gpu.free_bytes = static_cast<std::uint64_t>(*free);
}

void set_unified(Gpu& gpu, const Memory& memory, std::vector<std::string>& reasons) {
  gpu.unified = true;
  gpu.total_bytes = memory.total_bytes;
  gpu.free_bytes = memory.available_bytes;
  if (!memory.total_bytes) reasons.push_back(gpu.name + " shares the machine's memory, which is not known (meminfo)");
}

}  // namespace whyfail::probes
