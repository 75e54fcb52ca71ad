// Graphics cards as the kernel lists them in /sys/class/drm.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/system.h"

namespace whyfail::probes {

struct DrmCard {
  std::string folder;       // "/sys/class/drm/card0/device"
  std::string pci_address;  // "0000:c4:00.0"; empty: not told
  std::string device_id;    // "0x56a0"
};

// Cards of a vendor ("0x1002"), in PCI order.
std::vector<DrmCard> drm_cards(const System& system, std::string_view vendor);

}  // namespace whyfail::probes
