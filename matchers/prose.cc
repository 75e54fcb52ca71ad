// Finds where messages begin around the anchors seen in a text, and confirms them there.
#include "matchers/prose.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "matchers/cause.h"
#include "matchers/source_code.h"

namespace whyfail::matchers {
namespace {

// A message is looked for this far before and after its anchor.
constexpr std::size_t reach = 4096;
// Places where one wording may begin that are tried; a text made of repetitions is not worth more.
constexpr std::size_t most_starts = 8;

bool is_blank(char sign) { return sign == ' ' || sign == '\t' || sign == '\n'; }

bool in_name(char sign) {
  return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') || (sign >= '0' && sign <= '9') || sign == '_' ||
         sign == '.';
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::size_t begin_of(std::string_view whole, std::string_view part) {
  return static_cast<std::size_t>(part.data() - whole.data());
}

// "ValueError" before ": message"; empty if no class stands there.
std::string_view class_before(std::string_view clean, std::size_t position) {
  std::string_view text = before_on_line(clean, position);
  while (!text.empty() && (is_blank(text.back()) || text.back() == '`' || text.back() == '"')) text.remove_suffix(1);
  if (text.empty() || text.back() != ':') return {};
  text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && in_name(text[begin - 1])) --begin;
  const std::string_view name = text.substr(begin);
  for (const std::string_view end : {"Error", "Exception", "Warning", "Exit", "Interrupt"}) {
    if (ends_with(name, end)) return name;
  }
  return {};
}

class ProseReader {
 public:
  ProseReader(Confirmation& confirmation, const CleanText& clean, std::size_t begin, std::size_t end,
              ProseSearch search)
      : confirmation_(confirmation), piece_{clean.text(), Squeezed(clean.text(), begin, end)}, search_(search) {}

  std::vector<ProseMatch> read() {
    const std::string& text = piece_.squeezed.text();
    std::vector<ProseMatch> matches;
    for (const Confirmation::Candidate& candidate : confirmation_.candidates(text, 0, text.size())) {
      if (!wanted(*candidate.pattern) || told_already(*candidate.pattern, matches)) continue;
      for (const std::size_t start : starts(candidate)) {
        if (std::optional<ProseMatch> match = match_at(*candidate.pattern, start)) matches.push_back(std::move(*match));
      }
    }
    return without_overlap(std::move(matches));
  }

 private:
  bool wanted(const Pattern& pattern) const {
    if (search_ == ProseSearch::warnings) return pattern.severity == Severity::warning;
    if (search_ == ProseSearch::plain_errors) {
      return pattern.severity == Severity::error && pattern.exceptions.empty() && anywhere(pattern);
    }
    return !pattern.needs_context && pattern.frames.empty();
  }

  // A failure that is in the text already, said in other words: what is known of it stays the same.
  static bool told_already(const Pattern& pattern, const std::vector<ProseMatch>& matches) {
    return pattern.captures.empty() && std::any_of(matches.begin(), matches.end(), [&](const ProseMatch& match) {
             return match.confirmed.pattern.failure == pattern.failure;
           });
  }

  static bool anywhere(const Pattern& pattern) { return pattern.expression.substr(0, 2) == ".*"; }

  bool begins_word(std::size_t squeezed) const {
    if (squeezed == 0) return true;
    const std::string& text = piece_.squeezed.text();
    if (piece_.squeezed.origin_end(squeezed - 1) != piece_.squeezed.origin(squeezed)) return true;
    const auto before = static_cast<unsigned char>(text[squeezed - 1]);
    return before >= 0x80 || !in_name(text[squeezed - 1]);
  }

  // The beginning of the line, or of the word, that a place is in; nullopt: further away than a message is long.
  std::optional<std::size_t> line_begin(std::size_t squeezed) const {
    const std::size_t nearest = squeezed > reach ? squeezed - reach : 0;
    while (squeezed > 0 && !line_end_between(squeezed - 1, squeezed)) {
      if (--squeezed < nearest) return std::nullopt;
    }
    return squeezed;
  }
  bool line_end_between(std::size_t left, std::size_t right) const {
    const std::size_t from = piece_.squeezed.origin_end(left), to = piece_.squeezed.origin(right);
    return from < to && piece_.clean.substr(from, to - from).find('\n') != std::string_view::npos;
  }

  // Words end at blanks and quotes, and where a script without blanks goes over into Latin letters.
  std::optional<std::size_t> word_begin(std::size_t squeezed) const {
    const std::string& text = piece_.squeezed.text();
    const std::size_t nearest = squeezed > reach ? squeezed - reach : 0;
    while (squeezed > 0 && piece_.squeezed.origin_end(squeezed - 1) == piece_.squeezed.origin(squeezed) &&
           (static_cast<unsigned char>(text[squeezed - 1]) >= 0x80) ==
               (static_cast<unsigned char>(text[squeezed]) >= 0x80)) {
      if (--squeezed < nearest) return std::nullopt;
    }
    return squeezed;
  }

  // The beginning of the one of several fixed words that a wording begins with, if one of them ends at a place.
  std::optional<std::size_t> alternative_begin(const Pattern& pattern, std::size_t end) const {
    if (pattern.choices.empty()) return std::nullopt;
    const std::string_view before = std::string_view(piece_.squeezed.text()).substr(0, end);
    std::string_view choice = pattern.choices.front();
    while (true) {
      const std::size_t bar = choice.find(kAlternative);
      const std::string_view alternative = choice.substr(0, bar);
      if (before.ends_with(alternative)) return end - alternative.size();
      if (bar == std::string_view::npos) return std::nullopt;
      choice.remove_prefix(bar + 1);
    }
  }

  // Every place where the first literal of the wording stands says where the message would begin.
  std::vector<std::size_t> starts(const Confirmation::Candidate& candidate) const {
    const Pattern& pattern = *candidate.pattern;
    const std::string& text = piece_.squeezed.text();
    if (pattern.literals.empty()) return {candidate.anchor_position};
    const std::string& first = pattern.literals.front();
    std::size_t position = candidate.anchor_position > reach ? candidate.anchor_position - reach : 0;
    std::vector<std::size_t> found;
    for (position = text.find(first, position); position != std::string::npos;
         position = text.find(first, position + 1)) {
      std::optional<std::size_t> start = position;
      if (anywhere(pattern)) {
        start = line_begin(position);
      } else if (pattern.expression.front() == '(' && position > 0) {
        start = alternative_begin(pattern, position);
        if (!start) start = word_begin(position - 1);
      }
      if (!start || (literal_length(pattern) < kShortWording && start != line_begin(*start))) continue;
      if (begins_word(*start)) found.push_back(*start);
    }
    // Of many, the last ones: what ended the run stands at the end.
    if (found.size() > most_starts) found.erase(found.begin(), found.end() - most_starts);
    return found;
  }

  std::optional<ProseMatch> match_at(const Pattern& pattern, std::size_t start) {
    const std::size_t origin = piece_.squeezed.origin(start);
    const std::string_view exception = class_before(piece_.clean, origin);
    if (!exception.empty() && !may_carry(pattern, exception)) return std::nullopt;
    if (in_source(piece_.clean, exception.empty() ? origin : begin_of(piece_.clean, exception))) return std::nullopt;
    // What a warning says is no error: "UserWarning: CUDA initialization: …".
    const bool in_warning = before_on_line(piece_.clean, origin).find("Warning:") != std::string_view::npos;
    if (in_warning && pattern.severity == Severity::error) return std::nullopt;
    const std::size_t end = std::min(piece_.squeezed.text().size(), start + reach);
    std::optional<Confirmed> confirmed = confirmation_.confirm(pattern, piece_, {start, end, true});
    if (!confirmed) return std::nullopt;
    return ProseMatch{std::move(*confirmed), std::string(exception)};
  }

  static std::vector<ProseMatch> without_overlap(std::vector<ProseMatch> matches) {
    // The candidates come with the most particular first: of two that overlap, the earlier in the list stays.
    std::vector<ProseMatch> kept;
    for (ProseMatch& match : matches) {
      const bool overlaps = std::any_of(kept.begin(), kept.end(), [&](const ProseMatch& other) {
        return match.confirmed.begin < other.confirmed.end && other.confirmed.begin < match.confirmed.end;
      });
      if (!overlaps) kept.push_back(std::move(match));
    }
    std::sort(kept.begin(), kept.end(), [](const ProseMatch& left, const ProseMatch& right) {
      return left.confirmed.begin < right.confirmed.begin;
    });
    return kept;
  }

  Confirmation& confirmation_;
  Piece piece_;
  ProseSearch search_;
};

}  // namespace

std::vector<ProseMatch> find_in_prose(Confirmation& confirmation, const CleanText& clean, std::size_t begin,
                                      std::size_t end, ProseSearch search) {
  return ProseReader(confirmation, clean, begin, end, search).read();
}

}  // namespace whyfail::matchers
