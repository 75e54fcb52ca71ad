// The cheap first filter over a large input: places that say "here something failed" or "here a machine is described".
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace whyfail::matchers {

// Longest landmark in bytes: so much of one chunk must be seen again with the next.
inline constexpr std::size_t kLongestLandmark = 64;

// Appends the positions of landmarks in `bytes`, in order: heads of tracebacks, "…Error:", "…Exception:", connectives,
// "Killed", "out of memory", segmentation faults, nvidia-smi tables, lists of versions. At most one per 256 bytes.
void find_landmarks(std::string_view bytes, std::vector<std::size_t>& positions);

// Line ends in `bytes`.
std::size_t count_line_ends(std::string_view bytes);

}  // namespace whyfail::matchers
