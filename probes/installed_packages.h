// The packages in one folder of a Python installation, read from their metadata (PyPA: recording installed projects;
// setuptools: egg-info, egg-link), never by starting Python.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "probes/system.h"

namespace whyfail::probes {

struct InstalledPackages {
  std::map<std::string, std::string> versions;  // normalised name → version, verbatim
  std::set<std::string> unclear;                // names of packages that are there but whose version cannot be told
};

InstalledPackages packages_in(const System& system, std::string_view folder);

}  // namespace whyfail::probes
