// Full text over titles, wordings and aliases of the entries.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kb/database.h"
#include "kb/knowledge_base.h"
#include "kb/vocabulary.h"

namespace whyfail::kb {

// All entries that hold one of the words, best first.
std::vector<Similar> find_words(const Database& database, const Described& described);
// At most `most` entries, none that shares only a few common words with the text.
std::vector<Similar> find_similar(const Database& database, const Described& described, std::size_t most);

}  // namespace whyfail::kb
