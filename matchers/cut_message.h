// A message whose end is missing because the paste was cut there. It is known if all it says is the beginning of known
// wordings, and these are of one failure only.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "matchers/confirmation.h"
#include "matchers/pattern.h"

namespace whyfail::matchers {

// Patterns whose opening (anchors.h) may stand at `position` of a squeezed message; whether a pattern begins with its
// first literal, or with a capture before it.
std::vector<Pattern> opening_at(const PatternSource& patterns, std::string_view message, std::size_t position);
bool begins_with_literal(const Pattern& pattern);

// The wording that a cut message of an exception of this class begins; captures stay empty.
std::optional<Pattern> find_cut_message(const PatternSource& patterns, std::string_view message,
                                        std::string_view exception);

}  // namespace whyfail::matchers
