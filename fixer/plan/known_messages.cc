// A sample is a whole line: "ValueError: …".
#include "fixer/plan/known_messages.h"

#include "kb/releases.h"

namespace whyfail::fixer {
namespace {

bool says(const kb::KnowledgeBase& kb, std::int64_t pattern, const ReleasePair& releases) {
  const auto wording = kb::releases_of_wording(kb, pattern);
  if (!wording) return false;
  if (wording->package == "accelerate") return wording->contains(releases.accelerate);
  return wording->package == "transformers" && wording->contains(releases.transformers);
}

}  // namespace

std::optional<LibraryError> known_message(const kb::KnowledgeBase& kb, std::string_view failure, std::string_view part,
                                          const ReleasePair& releases) {
  for (const kb::WordingSummary& wording : kb.wordings(failure)) {
    if (!says(kb, wording.pattern, releases)) continue;
    for (const std::string& sample : wording.samples) {
      const auto colon = sample.find(": ");
      if (colon == std::string::npos || sample.find('\n') != std::string::npos) continue;
      if (sample.find(part) == std::string::npos) continue;
      return LibraryError{sample.substr(0, colon), sample.substr(colon + 2), {}};
    }
  }
  return std::nullopt;
}

}  // namespace whyfail::fixer
