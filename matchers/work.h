// What reading a paste took, counted. Tests hold these numbers to the size of the paste: they do not depend on the
// clock.
#pragma once

#include <cstddef>
#include <cstdint>

namespace whyfail::matchers {

struct Work {
  std::uint64_t bytes_kept = 0;  // of the paste, in all islands
  std::uint64_t bytes_searched =
      0;  // squeezed bytes in which anchors, then fixed words of single patterns were looked for
  std::uint64_t bytes_matched = 0;  // squeezed bytes over which expressions ran
  std::size_t look_ups = 0;         // of patterns by a hash: each costs a query
  std::size_t patterns_compiled = 0;
};

}  // namespace whyfail::matchers
