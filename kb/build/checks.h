// Checks over all entries together, once they are in the database.
#pragma once

#include <string>

#include "kb/build/building.h"

namespace whyfail::kb {

// Every sample is matched by its own wording, no counter-sample is, no sample is claimed by two entries.
void check_patterns(Building& building);
// The filter over the anchors of all patterns (matchers/anchors.h).
std::string anchor_filter_of(const Database& database);

}  // namespace whyfail::kb
