// One pass over the raw bytes that keeps what is worth reading.
#include "matchers/islands.h"

#include <utility>

namespace whyfail::matchers {

std::vector<Island> find_islands(ByteSource& source) {
  std::vector<Island> islands;
  Island island;
  std::string buffer(64 * 1024, '\0');
  while (const std::size_t count = source.read(buffer.data(), buffer.size())) {
    if (island.bytes.size() < kAllIslands) island.bytes.append(buffer, 0, count);
  }
  if (!island.bytes.empty()) islands.push_back(std::move(island));
  return islands;
}

}  // namespace whyfail::matchers
