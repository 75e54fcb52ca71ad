// Whether the dynamic loader could find a library, told without loading anything: a child process for a driver that is
// not there costs more than the whole answer.
#pragma once

#include <string>
#include <vector>

namespace whyfail::probes {

// False only if none of the names (paths, or names that the loader looks up) can be found by glibc's loader: its cache,
// its search path and LD_LIBRARY_PATH (ld.so(8)). True where that can't be told.
bool may_be_found(const std::vector<std::string>& names);

}  // namespace whyfail::probes
