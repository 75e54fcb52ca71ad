// A recorded machine: a folder that stands for a computer (tests/machines/README.md). Nothing of the computer that
// reads it shows: no environment, no /proc, no driver, and no link that leads out of the folder.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "probes/system.h"

namespace whyfail::probes {

// None if the folder holds nothing that a recording is made of.
std::unique_ptr<System> recorded_system(const std::filesystem::path& folder);

}  // namespace whyfail::probes
