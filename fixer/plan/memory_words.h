// What the figures of an out-of-memory message say about its cause.
#pragma once

#include <string>

#include "probes/memory_error.h"

namespace whyfail::fixer {

// Who holds the card, and which of the known causes the figures show. Sentences without a last full stop.
std::string memory_error_words(const probes::MemoryError& error);

}  // namespace whyfail::fixer
