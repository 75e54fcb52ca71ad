// Goes the way of reading.cc, but does not stop at the first match.
#include "matchers/trial.h"

#include "matchers/cause.h"
#include "matchers/clean.h"
#include "matchers/confirmation.h"
#include "matchers/islands.h"
#include "matchers/prose.h"
#include "matchers/traceback.h"

namespace whyfail::matchers {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void try_exception(Confirmation& confirmation, const CleanText& clean, const Chain& chain, const Raised& raised,
                   std::vector<Trial>& trials) {
  const Piece piece{clean.text(), Squeezed(clean.text(), raised.clean_begin, raised.clean_end)};
  const std::size_t size = piece.squeezed.text().size();
  for (const Confirmation::Candidate& candidate : confirmation.candidates(piece.squeezed.text(), 0, size)) {
    const Pattern& pattern = *candidate.pattern;
    Trial trial{pattern.failure, pattern.id, raised.line, false, "begins or ends otherwise"};
    if (!may_carry(pattern, raised.type)) {
      trial.verdict = "the class " + raised.type + " is not among " + listed(pattern.exceptions);
    } else if (!believed(pattern, chain, raised)) {
      trial.verdict = pattern.frames.empty() ? "no frame of a library" : "no frame of " + listed(pattern.frames);
    } else if (confirmation.confirm(pattern, piece, {message_start(piece, raised), size, false})) {
      trial.matches = true;
      trial.verdict = "matches";
    }
    trials.push_back(std::move(trial));
  }
}

}  // namespace

std::vector<Trial> try_patterns(std::string_view paste, const PatternSource& patterns) {
  std::vector<Trial> trials;
  Confirmation confirmation(patterns);
  TextSource source(paste);
  for (const Island& island : find_islands(source)) {
    const CleanText clean_text = clean(island);
    const std::vector<Chain> chains = read_tracebacks(clean_text);
    for (auto chain = chains.rbegin(); chain != chains.rend(); ++chain) {
      for (auto raised = chain->raised.rbegin(); raised != chain->raised.rend(); ++raised) {
        try_exception(confirmation, clean_text, *chain, *raised, trials);
      }
    }
    const ProseSearch search = chains.empty() ? ProseSearch::everything : ProseSearch::warnings;
    for (const ProseMatch& match : find_in_prose(confirmation, clean_text, 0, clean_text.text().size(), search)) {
      const Pattern& pattern = match.confirmed.pattern;
      const int line = clean_text.line_of(match.confirmed.begin);
      trials.push_back({pattern.failure, pattern.id, line, true, "matches outside of a traceback"});
    }
  }
  return trials;
}

}  // namespace whyfail::matchers
