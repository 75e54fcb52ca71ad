// First step: one pass over the raw bytes, in constant memory, that keeps what is worth reading. A small input is kept
// whole; of a large one only the neighbourhood of traceback heads, exception lines, boxes, kill messages and the tables
// of environment dumps that stand near them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "matchers/byte_source.h"

namespace whyfail::matchers {

enum class Encoding { utf8, utf16_little, utf16_big };

struct Island {
  std::string bytes;        // as in the paste, unchanged
  std::uint64_t begin = 0;  // offset of the first byte in the paste
  int line = 1;             // 1-based line of the paste in which the first byte stands
  Encoding encoding = Encoding::utf8;
};

// An input of up to this many bytes is one island.
inline constexpr std::size_t kWholeInput = 256 * 1024;
// A single island never gets larger: of a longer stretch its head and its tail become an island each.
inline constexpr std::size_t kLongestIsland = 256 * 1024;
// All islands together: the first ones up to a quarter of it, then the last ones.
inline constexpr std::size_t kAllIslands = 2 * 1024 * 1024;

// In the order of the paste, without overlap. Reads the source to its end.
std::vector<Island> find_islands(ByteSource& source);

}  // namespace whyfail::matchers
