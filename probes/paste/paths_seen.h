// What the paths of a traceback tell of the machine.
#pragma once

#include <string>

#include "matchers/reading.h"

namespace whyfail::probes::paste {

struct PathsSeen {
  std::string family;  // "linux", "windows", "darwin"; empty: paths tell nothing, or not all the same
  bool wsl = false;    // a drive of Windows under /mnt
  std::string python;  // "3.11", from python3.11/site-packages or Python311\Lib
};

PathsSeen paths_seen(const matchers::Reading& reading);

}  // namespace whyfail::probes::paste
