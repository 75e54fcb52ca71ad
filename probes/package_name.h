// Names of Python packages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace whyfail::probes {

// As PEP 503 normalises: lower case, runs of "-", "_" and "." are one "-".
std::string normalised_package(std::string_view name);
// Whether a package index would take this as a version ("4.44.2", "2.3.1+cu121", "5.0.0rc1", "2024.5.0").
bool looks_like_version(std::string_view text);

// Packages that decide how a model is loaded, by normalised name, the most telling first.
const std::vector<std::string_view>& loading_packages();

}  // namespace whyfail::probes
