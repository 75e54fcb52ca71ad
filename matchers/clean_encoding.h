// Bytes as they came → UTF-8 with \n line ends: byte order marks, UTF-16, broken UTF-8, NULs, CR LF and lone CR.
#pragma once

#include <string>
#include <string_view>

#include "matchers/clean_text.h"
#include "matchers/islands.h"

namespace whyfail::matchers {

// The first step of cleaning: every other one works on its result.
CleanText decode(const Island& island);

// `bytes` with U+FFFD for every byte that is not part of a UTF-8 sequence.
std::string valid_utf8(std::string_view bytes);

}  // namespace whyfail::matchers
