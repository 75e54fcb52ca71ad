// Compiles candidates and runs them over one message.
#include "matchers/confirmation.h"

#include <algorithm>
#include <unordered_set>

#include "matchers/anchors.h"
#include "matchers/capture_text.h"
#include "matchers/expression.h"

namespace whyfail::matchers {
namespace {

// A message of more bytes is looked at up to here.
constexpr std::size_t longest_message = 64 * 1024;
// Line ends of a message that are tried as its end.
constexpr std::size_t most_ends = 48;

bool literals_in_order(const Pattern& pattern, std::string_view text) {
  std::size_t position = 0;
  for (const std::string& literal : pattern.literals) {
    position = text.find(literal, position);
    if (position == std::string_view::npos) return false;
    position += literal.size();
  }
  return true;
}

bool has_alternative(std::string_view choice, std::string_view text) {
  while (true) {
    const std::size_t end = choice.find(kAlternative);
    if (text.find(choice.substr(0, end)) != std::string_view::npos) return true;
    if (end == std::string_view::npos) return false;
    choice.remove_prefix(end + 1);
  }
}

std::size_t shortest_alternative(std::string_view choice) {
  std::size_t shortest = choice.size();
  while (true) {
    const std::size_t end = choice.find(kAlternative);
    shortest = std::min(shortest, choice.substr(0, end).size());
    if (end == std::string_view::npos) return shortest;
    choice.remove_prefix(end + 1);
  }
}

// What must be there, tested without compiling anything.
bool has_fixed_words(const Pattern& pattern, std::string_view text) {
  return literals_in_order(pattern, text) &&
         std::all_of(pattern.choices.begin(), pattern.choices.end(),
                     [&](const std::string& choice) { return has_alternative(choice, text); });
}

// Whether a message can be one of an expression that begins with its first literal; told without compiling it.
bool may_begin(const Pattern& pattern, std::string_view message) {
  if (pattern.literals.empty()) return true;
  const std::string& first = pattern.literals.front();
  if (!std::string_view(pattern.expression).starts_with(RE2::QuoteMeta(first))) return true;
  return message.starts_with(first);
}

bool open_end(const Pattern& pattern) {
  const std::string& expression = pattern.expression;
  return expression.size() >= 2 && expression.substr(expression.size() - 2) == ".*" &&
         (expression.size() == 2 || expression[expression.size() - 3] != '\\');
}

// Whether an open end follows a capture directly.
bool ends_in_hole(const Pattern& pattern) {
  const std::string& expression = pattern.expression;
  return expression.size() >= 3 && expression.substr(expression.size() - 3) == ").*";
}

bool is_blank(char sign) { return sign == ' ' || sign == '\t' || sign == '\n' || sign == '\r'; }

// What stands between two neighbouring signs of the squeezed form.
enum class Gap { none, quote, blank, line_end };

Gap gap_before(const Piece& piece, std::size_t squeezed) {
  const std::size_t from = piece.squeezed.origin_end(squeezed - 1);
  const std::size_t to = piece.squeezed.origin(squeezed);
  Gap gap = Gap::none;
  for (std::size_t i = from; i < to; ++i) {
    if (piece.clean[i] == '\n') return Gap::line_end;
    if (is_blank(piece.clean[i])) gap = Gap::blank;
    if (gap == Gap::none) gap = Gap::quote;
  }
  return gap;
}

bool ends_sentence(char sign) { return sign == '.' || sign == '!' || sign == '?' || sign == ')'; }
bool closes(char sign) {
  return sign == ',' || sign == ';' || sign == ':' || sign == '.' || sign == ')' || sign == '!' ||
         sign == '*';  // of Markdown's bold text
}

// What a wording ends with decides where a person's text may follow it on the same line.
enum class Tail { literal, word, list, rest };

Tail tail_of(const Pattern& pattern) {
  if (pattern.expression.empty() || pattern.expression.back() != ')' || pattern.captures.empty()) return Tail::literal;
  switch (pattern.captures.back().second) {
    case CaptureKind::list:
      return Tail::list;
    case CaptureKind::rest:
      return Tail::rest;
    default:
      return Tail::word;
  }
}

bool may_end(char last, char next, Gap gap, Tail tail, bool prose) {
  if (gap == Gap::line_end) return last != ',';
  if (tail == Tail::rest) return false;
  if (tail == Tail::list) return prose && gap == Gap::blank && last != ',';
  if (gap == Gap::blank && ends_sentence(last)) return true;
  return prose && (gap == Gap::quote || gap == Gap::blank || closes(next));
}

// Where a message that begins at stretch.begin may end, nearest first.
std::vector<std::size_t> possible_ends(const Piece& piece, Stretch stretch, const Pattern& pattern) {
  const std::size_t shortest = literal_length(pattern);
  const Tail tail = shortest < kShortWording ? Tail::rest : tail_of(pattern);
  std::vector<std::size_t> ends;
  const std::string& text = piece.squeezed.text();
  for (std::size_t i = std::max(stretch.begin + shortest, stretch.begin + 1);
       i < stretch.end && ends.size() < most_ends; ++i) {
    if (may_end(text[i - 1], text[i], gap_before(piece, i), tail, stretch.prose)) ends.push_back(i);
  }
  ends.push_back(stretch.end);
  return ends;
}

// A word before an open end reaches to the next blank; the expression alone would take one sign.
std::size_t word_end(const Piece& piece, std::size_t squeezed, std::size_t end) {
  while (squeezed < end && gap_before(piece, squeezed) == Gap::none) ++squeezed;
  return squeezed;
}

}  // namespace

std::size_t literal_length(const Pattern& pattern) {
  std::size_t length = 0;
  for (const std::string& literal : pattern.literals) length += literal.size();
  for (const std::string& choice : pattern.choices) length += shortest_alternative(choice);
  return length;
}

struct Confirmation::Compiled {
  std::unordered_map<std::int64_t, std::unique_ptr<RE2>> expressions;

  const RE2& of(const Pattern& pattern) {
    std::unique_ptr<RE2>& expression = expressions[pattern.id];
    if (!expression) expression = std::make_unique<RE2>(pattern.expression, expression_options());
    return *expression;
  }
};

namespace {

// The captures of a match; nullopt: one of them can't be what its kind asks for.
std::optional<std::map<std::string, std::string>> read_captures(const Pattern& pattern, const RE2& expression,
                                                                const std::vector<re2::StringPiece>& groups,
                                                                const Piece& piece, Stretch stretch) {
  std::map<std::string, std::string> captures;
  const char* base = piece.squeezed.text().data();
  for (const auto& [name, kind] : pattern.captures) {
    const auto group = expression.NamedCapturingGroups().find(name);
    if (group == expression.NamedCapturingGroups().end()) continue;
    const re2::StringPiece found = groups[static_cast<std::size_t>(group->second)];
    if (found.data() == nullptr) continue;
    const auto begin = static_cast<std::size_t>(found.data() - base);
    std::size_t end = begin + found.size();
    const bool before_open_end = &name == &pattern.captures.back().first && ends_in_hole(pattern);
    if (before_open_end && (kind == CaptureKind::word || kind == CaptureKind::path)) {
      end = word_end(piece, end, stretch.end);
    }
    const std::size_t from =
        begin == stretch.begin ? piece.squeezed.origin(begin) : piece.squeezed.origin_end(begin - 1);
    const std::size_t to = piece.squeezed.origin(end);
    std::optional<std::string> text = capture_text(piece.clean.substr(from, to > from ? to - from : 0), kind);
    if (!text) return std::nullopt;
    captures[name] = std::move(*text);
  }
  return captures;
}

}  // namespace

Confirmation::Confirmation(const PatternSource& patterns)
    : source_(patterns), compiled_(std::make_unique<Compiled>()) {}
Confirmation::~Confirmation() = default;

Work Confirmation::work() const {
  Work work = work_;
  work.patterns_compiled = compiled_->expressions.size();
  return work;
}

const std::vector<Pattern>& Confirmation::patterns_with(std::uint64_t hash) {
  const auto known = looked_up_.find(hash);
  if (known != looked_up_.end()) return known->second;
  ++work_.look_ups;
  return looked_up_.emplace(hash, source_.patterns_with(hash)).first->second;
}

std::vector<Confirmation::Candidate> Confirmation::candidates(std::string_view squeezed, std::size_t begin,
                                                              std::size_t end) {
  std::vector<Candidate> found;
  // A pattern whose anchor is there many times is judged once: its other words are there or not.
  std::unordered_set<std::int64_t> judged;
  const std::string_view stretch = squeezed.substr(begin, end - begin);
  work_.bytes_searched += stretch.size();
  for (const AnchorHit& hit : find_anchors(squeezed, begin, end, source_.anchor_filter())) {
    for (const Pattern& pattern : patterns_with(hit.hash)) {
      if (squeezed.substr(hit.position, pattern.anchor.size()) != pattern.anchor) continue;
      if (!judged.insert(pattern.id).second) continue;
      work_.bytes_searched += stretch.size();
      if (has_fixed_words(pattern, stretch)) found.push_back({&pattern, hit.position});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Candidate& left, const Candidate& right) {
    return literal_length(*left.pattern) > literal_length(*right.pattern);
  });
  return found;
}

std::optional<Confirmed> Confirmation::confirm(const Pattern& pattern, const Piece& piece, Stretch stretch) {
  stretch.end = std::min(stretch.end, stretch.begin + longest_message);
  const std::string_view whole = piece.squeezed.text();
  if (!may_begin(pattern, whole.substr(stretch.begin, stretch.end - stretch.begin))) return std::nullopt;
  const RE2& expression = compiled_->of(pattern);
  if (!expression.ok()) return std::nullopt;
  const std::string& text = piece.squeezed.text();
  std::vector<re2::StringPiece> groups(static_cast<std::size_t>(expression.NumberOfCapturingGroups()) + 1);
  const bool open = open_end(pattern);
  const std::vector<std::size_t> ends =
      open ? std::vector<std::size_t>{stretch.end} : possible_ends(piece, stretch, pattern);
  for (const std::size_t end : ends) {
    work_.bytes_matched += end - stretch.begin;
    if (!expression.Match(text, stretch.begin, end, RE2::ANCHOR_BOTH, groups.data(), static_cast<int>(groups.size()))) {
      continue;
    }
    auto captures = read_captures(pattern, expression, groups, piece, {stretch.begin, end, stretch.prose});
    if (!captures) continue;
    // In prose a capture at the end must not end before its first sign.
    if (end != stretch.end && tail_of(pattern) == Tail::word && captures->at(pattern.captures.back().first).empty())
      continue;
    return Confirmed{pattern, std::move(*captures), piece.squeezed.origin(stretch.begin),
                     end > stretch.begin ? piece.squeezed.origin_end(end - 1) : piece.squeezed.origin(stretch.begin)};
  }
  return std::nullopt;
}

}  // namespace whyfail::matchers
