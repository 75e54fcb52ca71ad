// What a release says for a failure that is told from the arguments alone, taken from the knowledge base.
#pragma once

#include <optional>
#include <string_view>

#include "fixer/placement/place.h"
#include "fixer/plan/search.h"
#include "kb/knowledge_base.h"

namespace whyfail::fixer {

// The sample of the entry's wording that these releases use and that holds `part`. Nothing: they do not say it.
std::optional<LibraryError> known_message(const kb::KnowledgeBase& kb, std::string_view failure, std::string_view part,
                                          const ReleasePair& releases);

}  // namespace whyfail::fixer
