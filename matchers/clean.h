// Second step: the bytes of an island without what showing and pasting put around them (colours, prefixes, quotes,
// escapes, boxes, wraps, encodings), with the map back to the paste. One file a kind of showing: clean_*.h.
#pragma once

#include "matchers/clean_text.h"
#include "matchers/islands.h"

namespace whyfail::matchers {

// Never fails: what is not recognised is kept as it stands; bytes that are not UTF-8 become U+FFFD. Linear time.
CleanText clean(const Island& island);

}  // namespace whyfail::matchers
