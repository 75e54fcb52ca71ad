// Proposes to keep the cache in RAM.
#include "fixer/plan/generation.h"

#include <algorithm>

#include "fixer/placement/cache_rules.h"

namespace whyfail::fixer {
namespace {

bool names_shrinking(const Situation& situation) {
  const auto& recipes = situation.failure->recipes;
  return std::any_of(recipes.begin(), recipes.end(),
                     [](const kb::Recipe& recipe) { return recipe.strategy == "shrink-generation"; });
}

bool has_generate_frame(const Situation& situation) {
  if (situation.reading == nullptr || !situation.reading->cause_chain) return false;
  const matchers::Chain& chain = situation.reading->chains.at(*situation.reading->cause_chain);
  return std::any_of(chain.raised.begin(), chain.raised.end(), [](const matchers::Raised& raised) {
    return std::any_of(raised.frames.begin(), raised.frames.end(), [](const matchers::Frame& frame) {
      return frame.function == "generate" || frame.file.find("generation/utils.py") != std::string::npos ||
             frame.file.find("generation\\utils.py") != std::string::npos;
    });
  });
}

}  // namespace

std::vector<Change> generation_changes(const Situation& situation) {
  if (!situation.failure || !names_shrinking(situation) || !has_generate_frame(situation)) return {};
  if (situation.call != nullptr && situation.call->failing.find("cache_implementation") != std::string::npos) return {};
  const auto& releases = situation.transformers;
  if (releases.empty() || std::any_of(releases.begin(), releases.end(), [](const kb::Release& release) {
        return !cache_rules_for(release).can_be_offloaded;
      }))
    return {};
  return {{"cache_implementation", "", "\"offloaded\"",
           "in generate(): the KV cache of all layers but the one at work waits in RAM; slower, the same answers",
           Safety::needs_review}};
}

}  // namespace whyfail::fixer
