// Captures that the message itself does not hold, but the text around it does: the argument in the call that a frame
// shows, the figure in a warning before it.
#pragma once

#include <map>
#include <string>

#include "matchers/clean_text.h"
#include "matchers/pattern.h"
#include "matchers/traceback.h"

namespace whyfail::matchers {

// Adds pattern.nearby's captures that are found: in the source lines of the exception's frames, the outermost frame
// first; else in the text before clean byte `message`, the last place first. `raised` may be null.
void read_nearby(const Pattern& pattern, const CleanText& clean, const Raised* raised, std::size_t message,
                 std::map<std::string, std::string>& captures);

}  // namespace whyfail::matchers
