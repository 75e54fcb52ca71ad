// What every kind of System shares.
#include "probes/system.h"

namespace whyfail::probes {

std::optional<std::string> System::variable(std::string_view name) const {
  const auto all = environment();
  const auto found = all.find(std::string(name));
  if (found == all.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

}  // namespace whyfail::probes
