// The order in which an island is cleaned: from the outermost wrapping to the innermost.
#include "matchers/clean.h"

#include "matchers/clean_encoding.h"

namespace whyfail::matchers {

CleanText clean(const Island& island) { return decode(island); }

}  // namespace whyfail::matchers
