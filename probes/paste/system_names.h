// Names of operating systems in text.
#pragma once

#include <string>
#include <string_view>

namespace whyfail::probes::paste {

// "Ubuntu 22.04", "Windows 11", "Arch Linux" as it stands in the line; empty if there is none.
std::string system_name_in(std::string_view line);

}  // namespace whyfail::probes::paste
