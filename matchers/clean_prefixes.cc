// What stands before every line: quoting, ranks, containers, timestamps. A prefix is learnt from lines that say by
// themselves where they begin (a traceback's head, a frame, a box), then taken off every line that has it.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "matchers/clean_steps.h"
#include "matchers/line_prefix.h"
#include "matchers/text_lines.h"

namespace whyfail::matchers {
namespace {

constexpr std::size_t kLongestPrefix = 160;
constexpr std::size_t kMostPrefixes = 8;
constexpr std::size_t kMostWriters = 33;
constexpr int kRounds = 3;  // a quoted log of a container: one inside the other

// Where the line's own text begins, as a byte of the line; 0: not known.
std::size_t own_beginning(std::string_view line) {
  constexpr std::array<std::string_view, 9> kStarts = {"Traceback (most recent call last)",
                                                       "+ Exception Group Traceback (most",
                                                       "During handling of the above exception, another",
                                                       "The above exception was the direct cause",
                                                       "  File \"",
                                                       "\tFile \"",
                                                       "╭─",
                                                       "╰─",
                                                       "│ "};
  const std::string_view head = line.substr(0, kLongestPrefix + 64);
  std::size_t best = std::string_view::npos;
  for (const std::string_view start : kStarts) best = std::min(best, head.find(start));
  if (best == std::string_view::npos) return 0;
  // IPython's head has the type before it: "ValueError      Traceback (most recent call last)".
  std::size_t type_end = best;
  while (type_end > 0 && is_blank(line[type_end - 1])) --type_end;
  std::size_t type = type_end;
  while (type > 0 && (is_identifier(line[type - 1]) || line[type - 1] == '.')) --type;
  return best - type_end >= 3 && type < type_end && is_letter(line[type]) ? type : best;
}

// Prefixes that belong to a layout and are read with it, or are no prefix at all.
bool belongs_to_text(std::string_view shown) {
  const std::string_view text = trim(shown);
  if (text.empty()) return true;
  // A quotation mark before a head: it stands in a literal; "ValueError   Traceback …": IPython announces the type.
  if (shown.find_first_of("\"'`") != std::string_view::npos) return true;
  if (text.starts_with("+-") || contains(text, "│") || contains(text, "╭") || contains(text, "─")) return true;
  return text == "+" || text == "python :" || text == "python.exe :";
}

struct Candidate {
  Prefix prefix;
  int votes = 0;
};

std::vector<Candidate> candidates_of(const std::vector<Line>& lines) {
  std::vector<Candidate> candidates;
  for (const Line& line : lines) {
    const std::size_t begin = own_beginning(line.text);
    if (begin == 0 || begin > kLongestPrefix) continue;
    const std::string_view shown = line.text.substr(0, begin);
    if (belongs_to_text(shown)) continue;
    const Prefix prefix(shown);
    const auto known = std::find_if(candidates.begin(), candidates.end(),
                                    [&](const Candidate& candidate) { return candidate.prefix == prefix; });
    if (known != candidates.end()) {
      ++known->votes;
    } else if (candidates.size() < kMostPrefixes) {
      candidates.push_back({prefix, 1});
    }
  }
  return candidates;
}

// A prefix that stood once, before a head, is one only if the next line has it too: prose may end in a head.
bool repeats(const Prefix& prefix, const std::vector<Line>& lines) {
  int with = 0;
  for (const Line& line : lines) {
    if (prefix.length_in(line.text)) ++with;
    if (with > 1) return true;
  }
  return lines.size() == 1;
}

// Ranks and containers that write at the same time have their lines mixed. Within a stretch of prefixed lines the lines
// of each writer are put together, if writers take turns there (timestamps never come back).
std::vector<std::size_t> one_writer_after_the_other(const std::vector<Line>& lines,
                                                    const std::vector<std::size_t>& lengths) {
  std::vector<std::size_t> order;
  order.reserve(lines.size());
  for (std::size_t begin = 0; begin < lines.size();) {
    std::size_t end = begin;
    std::vector<std::string_view> writers;
    std::vector<std::size_t> writer_of;
    bool turns = false;
    for (; end < lines.size() && lengths[end] != 0; ++end) {
      const std::string_view prefix = trim_right(lines[end].text.substr(0, lengths[end]));
      const auto known = std::find(writers.begin(), writers.end(), prefix);
      const auto writer = static_cast<std::size_t>(known - writers.begin());
      if (known == writers.end() && writers.size() < kMostWriters) writers.push_back(prefix);
      turns = turns || (!writer_of.empty() && known != writers.end() && writer + 1 < writers.size() &&
                        writer_of.back() != writer);
      writer_of.push_back(writer);
    }
    if (end == begin) {
      order.push_back(begin++);
      continue;
    }
    const std::size_t groups = turns && writers.size() < kMostWriters ? writers.size() : 1;
    for (std::size_t writer = 0; writer < groups; ++writer) {
      for (std::size_t index = begin; index < end; ++index) {
        if (groups == 1 || writer_of[index - begin] == writer) order.push_back(index);
      }
    }
    begin = end;
  }
  return order;
}

// The lines without their first `lengths` bytes.
CleanText without(const CleanText& text, const std::vector<Line>& lines, const std::vector<std::size_t>& lengths) {
  CleanText out;
  out.take_lines(text);
  for (const std::size_t index : one_writer_after_the_other(lines, lengths)) {
    const Line& line = lines[index];
    out.take(text, line.begin + lengths[index], line.end + 1);
    const bool last = line.end == text.text().size();
    if (last && index + 1 == lines.size() && !out.text().empty() && out.text().back() != '\n') {
      out.replace("\n", text, line.end - 1, line.end);
    }
  }
  return out;
}

CleanText without_learnt(CleanText text) {
  const std::vector<Line> lines = lines_of(text.text());
  std::vector<Candidate> candidates = candidates_of(lines);
  std::erase_if(candidates,
                [&](const Candidate& candidate) { return candidate.votes < 2 && !repeats(candidate.prefix, lines); });
  if (candidates.empty()) return text;
  std::vector<std::size_t> lengths;
  lengths.reserve(lines.size());
  for (const Line& line : lines) {
    std::size_t longest = 0;
    for (const Candidate& candidate : candidates) {
      longest = std::max(longest, candidate.prefix.length_in(line.text).value_or(0));
    }
    lengths.push_back(longest);
  }
  return without(text, lines, lengths);
}

// The prefix that nearly every line has, where no line says by itself where it begins (a test's report, prose).
constexpr std::size_t kFewestLines = 6;
constexpr std::size_t kSamples = 8;
constexpr std::size_t kMostPieces = 24;

bool closes_prefix(std::string_view shown) {
  constexpr std::string_view kCloses = "|:>])#*-;/%";
  const std::string_view text = trim_right(shown);
  return !text.empty() && kCloses.find(text.back()) != std::string_view::npos;
}

// Beginnings of `line` that could be a prefix, the longest first: up to a change between numbers, blanks and the rest.
std::vector<std::string_view> beginnings_of(std::string_view line) {
  std::vector<std::string_view> beginnings;
  line = line.substr(0, kLongestPrefix);
  for (std::size_t at = 1; at < line.size() && beginnings.size() < kMostPieces; ++at) {
    const bool blank_ends = is_blank(line[at - 1]) && !closes_prefix(line.substr(at));
    const bool mark_ends = !is_blank(line[at - 1]) && closes_prefix(line.substr(0, at));
    const bool closed = closes_prefix(line.substr(0, at));
    if (closed ? blank_ends || mark_ends : is_blank(line[at - 1])) beginnings.push_back(line.substr(0, at));
  }
  std::reverse(beginnings.begin(), beginnings.end());
  return beginnings;
}

// "- " before every line is a list, "|" before and behind every line a table.
bool is_list_or_table(std::string_view mark, const std::vector<const Line*>& lines) {
  if (mark == "-" || mark == "*") return true;
  if (mark != "|") return false;
  std::size_t closed = 0;
  for (const Line* line : lines) closed += trim_right(line->text).ends_with("|") ? 1U : 0U;
  return closed * 2 > lines.size();
}

CleanText without_common(CleanText text) {
  const std::vector<Line> lines = lines_of(text.text());
  std::vector<const Line*> filled;
  for (const Line& line : lines) {
    if (!trim(line.text).empty()) filled.push_back(&line);
  }
  if (filled.size() < kFewestLines) return text;
  const Line* sample = filled.front();
  for (std::size_t part = 0; part < kSamples; ++part) {
    const Line* other = filled[part * (filled.size() - 1) / kSamples];
    if (other->text.size() > sample->text.size()) sample = other;
  }
  for (const std::string_view shown : beginnings_of(sample->text)) {
    if (belongs_to_text(shown) || is_list_or_table(trim(shown), filled)) continue;
    const Prefix prefix(shown);
    std::size_t with = 0;
    for (const Line* line : filled) with += prefix.length_in(line->text) ? 1U : 0U;
    // A name without a mark behind it is one only if every line has it: "pod-7d4f server ".
    const bool name = shown.find_first_of("0123456789-/._@") != std::string_view::npos;
    if (closes_prefix(shown) ? with * 10 < filled.size() * 9 : with < filled.size() || !name) continue;
    std::vector<std::size_t> lengths;
    for (const Line& line : lines) lengths.push_back(prefix.length_in(line.text).value_or(0));
    return without(text, lines, lengths);
  }
  return text;
}

}  // namespace

CleanText without_prefixes(CleanText text) {
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t before = text.text().size();
    text = without_quotes(std::move(text));
    text = without_common(std::move(text));
    text = without_learnt(std::move(text));
    text = without_rank_marks(std::move(text));
    text = without_container_times(std::move(text));
    text = without_common_indentation(std::move(text));
    if (text.text().size() == before) break;
  }
  return text;
}

}  // namespace whyfail::matchers
