// What a knowledge base covers, as a page of Markdown: docs/coverage.md.
#pragma once

#include <string>

#include "kb/database.h"

namespace whyfail::kb {

// Totals, then a table by package and one by family. The same database always gives the same text.
std::string coverage_text(const Database& database);

}  // namespace whyfail::kb
