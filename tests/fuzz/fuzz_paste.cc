// Any bytes are a paste: islands, cleaning and tracebacks have to survive them, and what they say of the paste has to
// lie within it.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "matchers/clean.h"
#include "matchers/islands.h"
#include "matchers/traceback.h"

namespace {

using namespace whyfail::matchers;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const Island& island, std::size_t size) {
  const CleanText text = clean(island);
  const std::size_t length = text.text().size();
  require(length <= 3 * island.bytes.size() + 64);
  for (const Chain& chain : read_tracebacks(text)) {
    for (const Raised& raised : chain.raised) {
      require(raised.clean_begin <= raised.clean_end && raised.clean_end <= length);
      require(raised.where.end <= size && raised.message_begin <= size);
      require(text.text().compare(raised.clean_begin, raised.type.size(), raised.type) == 0);
      for (const Frame& frame : raised.frames) {
        require(frame.where.end <= size && frame.line >= 0);
        for (const SourceLine& line : frame.source) require(line.where.end <= size);
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view paste(reinterpret_cast<const char*>(data), size);
  TextSource source(paste);
  std::uint64_t last = 0;
  for (const Island& island : find_islands(source)) {
    require(island.begin >= last);
    last = island.begin + island.bytes.size();
    require(last <= size && paste.substr(island.begin, island.bytes.size()) == island.bytes);
    check(island, size);
  }
  return 0;
}
