// Sentences of a fix: what it costs, what is short, what was verified.
#pragma once

#include <string>
#include <vector>

#include "fixer/plan/search.h"

namespace whyfail::fixer {

// "placement simulated as transformers 4.44.2 does it", or with the range when several releases fit.
std::string verified_words(const std::vector<ReleasePair>& releases, bool sizes);
// Why the call as written fails here: what the weights take and what each device has for them. Empty: not known.
std::string why_here_words(const SearchResult& result, const std::vector<ReleasePair>& releases);
// What makes a simulated answer less than certain: sets without a fixed order, rules that were only read.
std::vector<std::string> uncertain_words(const Outcome& outcome);
// What moving the weights that lie outside the GPUs takes for each token, at assumed speeds of link and disk.
double seconds_a_token(const Outcome& outcome);
// What the reader pays: bytes moved a token and the time that makes, precision.
std::string cost_words(const Candidate& candidate);
// How much is missing, where, and the smallest thing that would do.
std::string short_words(const SearchResult& result);

}  // namespace whyfail::fixer
