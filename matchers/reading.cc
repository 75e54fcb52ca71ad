// The whole stage on one screen: islands, cleaning, tracebacks, and which error is the cause.
#include "matchers/reading.h"

#include <utility>

#include "matchers/capture_text.h"
#include "matchers/cause.h"
#include "matchers/clean.h"
#include "matchers/confirmation.h"
#include "matchers/consequence.h"
#include "matchers/islands.h"
#include "matchers/nearby.h"
#include "matchers/prose.h"
#include "matchers/typed_off.h"

namespace whyfail::matchers {
namespace {

Match match_of(const CleanText& clean, Confirmed confirmed, std::string exception, const Raised* raised = nullptr) {
  read_nearby(confirmed.pattern, clean, raised, confirmed.begin, confirmed.captures);
  Match match;
  match.failure = confirmed.pattern.failure;
  match.pattern = confirmed.pattern.id;
  match.severity = confirmed.pattern.severity;
  match.exception = std::move(exception);
  match.message = one_line(std::string_view(clean.text()).substr(confirmed.begin, confirmed.end - confirmed.begin));
  match.captures = std::move(confirmed.captures);
  match.where = clean.origin(confirmed.begin, confirmed.end);
  match.line = clean.line_of(confirmed.begin);
  return match;
}

// Reads one paste; holds what its steps share.
class PasteReader {
 public:
  PasteReader(const PatternSource& patterns, Reading& reading) : confirmation_(patterns), reading_(reading) {}

  void read(ByteSource& source) {
    for (const Island& island : find_islands(source)) {
      bytes_kept_ += island.bytes.size();
      reading_.islands.push_back(clean(island));
      for (Chain& chain : read_tracebacks(reading_.islands.back())) {
        chain_islands_.push_back(reading_.islands.size() - 1);
        reading_.chains.push_back(std::move(chain));
      }
    }
    if (!reading_.chains.empty() && !reading_.chains.back().raised.empty()) {
      reading_.last_error = reading_.chains.back().raised.back();
    }
    decide();
    reading_.work = confirmation_.work();
    reading_.work.bytes_kept = bytes_kept_;
  }

 private:
  // The last traceback that is neither a launcher's nor only a consequence of the one before; what stands behind it (a
  // killed process) goes before it.
  void decide() {
    std::size_t chain = reading_.chains.size();
    while (chain > 0 && is_launcher_trailer(reading_.chains[chain - 1])) --chain;
    if (chain > 1 && is_consequence(reading_.chains[chain - 1], reading_.chains[chain - 2])) --chain;
    if (chain == 0) {
      read_prose();
      return;
    }
    reading_.cause_chain = chain - 1;
    const CleanText& clean = reading_.islands[chain_islands_[chain - 1]];
    if (auto cause = find_cause(confirmation_, clean, reading_.chains[chain - 1])) {
      const Raised& raised = reading_.chains[chain - 1].raised[cause->exception];
      reading_.cause_exception = cause->exception;
      reading_.failures.push_back(match_of(clean, std::move(cause->confirmed), raised.type, &raised));
      return;
    }
    read_behind(chain - 1);
    if (reading_.failures.empty()) read_warnings(reading_.notes);
  }

  // There is no traceback: the last message that stands whole is the answer; a warning only if there is no error.
  void read_prose() {
    const ProseSearch search = reading_.chains.empty() ? ProseSearch::everything : ProseSearch::plain_errors;
    std::optional<Match> error;
    std::optional<Match> warning;
    for (const CleanText& clean : reading_.islands) {
      for (ProseMatch& match : find_in_prose(confirmation_, clean, 0, clean.text().size(), search)) {
        const bool is_warning = match.confirmed.pattern.severity == Severity::warning;
        (is_warning ? warning : error) = match_of(clean, std::move(match.confirmed), std::move(match.exception));
      }
    }
    if (!error) error = read_typed_off();
    if (error) reading_.failures.push_back(std::move(*error));
    if (!error && warning) reading_.failures.push_back(std::move(*warning));
    if (!reading_.chains.empty() && reading_.failures.empty()) read_warnings(reading_.notes);
  }

  std::optional<Match> read_typed_off() {
    for (const CleanText& clean : reading_.islands) {
      if (auto found = find_typed_off(confirmation_, clean)) {
        return match_of(clean, std::move(found->confirmed), std::string(found->exception));
      }
    }
    return std::nullopt;
  }

  // Behind an unknown traceback: the shell's word about a killed process.
  void read_behind(std::size_t chain) {
    for (std::size_t island = chain_islands_[chain]; island < reading_.islands.size(); ++island) {
      const CleanText& clean = reading_.islands[island];
      const std::size_t begin = island == chain_islands_[chain] ? reading_.chains[chain].raised.back().clean_end : 0;
      if (begin >= clean.text().size()) continue;
      for (ProseMatch& match :
           find_in_prose(confirmation_, clean, begin, clean.text().size(), ProseSearch::plain_errors)) {
        reading_.failures = {match_of(clean, std::move(match.confirmed), std::move(match.exception))};
      }
    }
  }

  void read_warnings(std::vector<Match>& matches) {
    for (const CleanText& clean : reading_.islands) {
      for (ProseMatch& match : find_in_prose(confirmation_, clean, 0, clean.text().size(), ProseSearch::warnings)) {
        matches.push_back(match_of(clean, std::move(match.confirmed), std::move(match.exception)));
      }
    }
  }

  Confirmation confirmation_;
  Reading& reading_;
  std::vector<std::size_t> chain_islands_;  // parallel to reading_.chains
  std::uint64_t bytes_kept_ = 0;
};

}  // namespace

Reading read_paste(ByteSource& source, const PatternSource& patterns) {
  Reading reading;
  PasteReader(patterns, reading).read(source);
  return reading;
}

Reading read_paste(std::string_view paste, const PatternSource& patterns) {
  TextSource source(paste);
  return read_paste(source, patterns);
}

}  // namespace whyfail::matchers
