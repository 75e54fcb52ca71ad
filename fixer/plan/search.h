// Composes what strategies propose, simulates every composition on the rewritten text, keeps what every release in
// question accepts and what fits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fixer/plan/simulate.h"
#include "fixer/plan/strategy.h"

namespace whyfail::fixer {

struct ReleasePair {
  kb::Release transformers;
  kb::Release accelerate;
};

// The text after some steps, and what it took to come here.
struct Candidate {
  std::string text;
  std::size_t edited_calls = 0;
  std::vector<std::string> strategies;
  std::size_t order = 0;  // place of the furthest strategy in the order of trying
  std::vector<Change> changes;
  std::vector<std::string> before;
  std::string cost;
  Safety safety = Safety::same_results;
  bool addresses_cause = false;  // a strategy that the failure's entry names took part
  bool verified_sizes = false;
  std::optional<Outcome> outcome;  // of the first release, when sizes are known
  std::string call_text;
  std::string callee;       // by which the call is found again in `text` …
  std::size_t ordinal = 0;  // … among the calls of that name
};

struct SearchResult {
  std::vector<Candidate> accepted;               // in the order in which they should be offered
  std::optional<Candidate> nearest;              // nothing fits: the one that lacks least
  std::optional<std::uint64_t> nearest_context;  // tokens a sequence for which that one fits, see longest_context.h
  std::optional<Outcome> original;               // what the call as written does, simulated
  std::uint64_t needed_bytes = 0;  // weights in memory as the call as written loads them, quantized if it says so
  bool sizes_known = false;        // model and machine are known: placement was simulated
  std::optional<NoModel> no_model;
  std::optional<Model> model;  // as the original call loads it, for the first release
};

// `releases`: at least one; the first is the one that texts name. Bounded: at most about 200 simulations.
SearchResult search_fixes(const Situation& situation, const Script& script, const Call& call,
                          const std::vector<ReleasePair>& releases);

}  // namespace whyfail::fixer
