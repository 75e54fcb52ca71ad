// Two versions of a text as a unified diff, the form that patch and git apply read.
#pragma once

#include <string>
#include <string_view>

namespace whyfail::cli {

// Empty if both are the same. Line ends are kept; a missing last one is said.
std::string unified_diff(std::string_view before, std::string_view after, const std::string& name);

}  // namespace whyfail::cli
