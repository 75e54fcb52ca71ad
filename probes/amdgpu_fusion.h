// Asks the amdgpu kernel driver whether a GPU is part of the processor.
#pragma once

#include <optional>
#include <string>

namespace whyfail::probes {

// AMDGPU_INFO_DEV_INFO, ids_flags & AMDGPU_IDS_FLAGS_FUSION, of the card at a PCI address; none if it cannot be asked.
std::optional<bool> amdgpu_fusion(const std::string& pci_address);

}  // namespace whyfail::probes
