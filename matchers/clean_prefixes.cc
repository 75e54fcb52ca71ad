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

// A prefix with its numbers left open: "[rank0]: " stands for "[rank1]: " too.
class Prefix {
 public:
  explicit Prefix(std::string_view shown) {
    std::size_t at = 0;
    while (at < shown.size()) {
      const std::size_t begin = at;
      const bool number = is_digit(shown[at]), blank = is_blank(shown[at]);
      while (at < shown.size() && is_digit(shown[at]) == number && is_blank(shown[at]) == blank) ++at;
      Piece piece{number  ? Kind::number
                  : blank ? Kind::blanks
                          : Kind::letters,
                  std::string(shown.substr(begin, at - begin))};
      if (piece.kind == Kind::number) piece.text = "0";
      pieces_.push_back(std::move(piece));
    }
  }

  bool operator==(const Prefix& other) const { return pieces_ == other.pieces_; }

  // Length of this prefix at the start of `line`; nullopt: the line doesn't have it. A line that ends within the
  // blanks that close the prefix had nothing after it.
  std::optional<std::size_t> length_in(std::string_view line) const {
    std::size_t at = 0;
    for (std::size_t index = 0; index < pieces_.size(); ++index) {
      const Piece& piece = pieces_[index];
      const bool last = index + 1 == pieces_.size();
      if (piece.kind == Kind::number) {
        const std::size_t begin = at;
        while (at < line.size() && is_digit(line[at])) ++at;
        if (at == begin) return std::nullopt;
      } else if (piece.kind == Kind::blanks && !last) {
        const std::size_t begin = at;
        while (at < line.size() && is_blank(line[at])) ++at;
        if (at == begin && index > 0) return std::nullopt;
      } else if (piece.kind == Kind::blanks) {
        std::size_t left = piece.text.size();
        while (left > 0 && at < line.size() && is_blank(line[at])) ++at, --left;
        if (left > 0 && at < line.size()) return std::nullopt;
      } else {
        if (!line.substr(at).starts_with(piece.text)) return std::nullopt;
        at += piece.text.size();
      }
    }
    return at;
  }

 private:
  enum class Kind { letters, number, blanks };
  struct Piece {
    Kind kind;
    std::string text;
    bool operator==(const Piece&) const = default;
  };
  std::vector<Piece> pieces_;
};

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
    if (belongs_to_text(shown)) continue;
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

// Blanks that every line begins with: a block set in.
CleanText without_common_indentation(CleanText text) {
  const std::vector<Line> lines = lines_of(text.text());
  std::size_t common = std::string_view::npos, filled = 0;
  for (const Line& line : lines) {
    if (trim(line.text).empty()) continue;
    ++filled;
    common = std::min(common, indentation(line.text));
  }
  if (filled < 3 || common == 0) return text;
  CleanText out;
  out.take_lines(text);
  for (const Line& line : lines) {
    out.take(text, line.begin + std::min(common, indentation(line.text)), line.end + 1);
  }
  return out;
}

// Length of a mark that is a prefix wherever it stands: "> ", ">> ", "[rank0]: ", "[default1]:[rank1]: ", a timestamp
// of a container's log.
std::size_t rank_length(std::string_view line) {
  constexpr std::array<std::string_view, 2> kNames = {"[rank", "[default"};
  std::size_t at = 0;
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view name : kNames) {
      if (!line.substr(at).starts_with(name)) continue;
      std::size_t used = 0;
      if (leading_number(line.substr(at + name.size()), used) < 0) continue;
      const std::string_view rest = line.substr(at + name.size() + used);
      if (!rest.starts_with("]:")) continue;
      at += name.size() + used + 2 + (rest.starts_with("]: ") ? 1U : 0U);
      found = true;
    }
  }
  return at;
}

// 2025-03-14T10:21:00.137Z and a blank, as container and build services put before each line.
std::size_t timestamp_length(std::string_view line) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (line.size() < kForm.size() + 1) return 0;
  for (std::size_t at = 0; at < kForm.size(); ++at) {
    const bool fits = kForm[at] == '0' ? is_digit(line[at]) : line[at] == kForm[at];
    if (!fits) return 0;
  }
  std::size_t at = kForm.size();
  if (at < line.size() && line[at] == '.') ++at;
  while (at < line.size() && is_digit(line[at])) ++at;
  if (at >= line.size() || line[at] != 'Z') return 0;
  ++at;
  for (const std::string_view stream : {" stdout F", " stderr F", " stdout P", " stderr P"}) {
    if (line.substr(at).starts_with(stream)) at += stream.size();
  }
  if (at == line.size()) return at;
  return line[at] == ' ' ? at + 1 : 0;
}

// "> " once for each level of quoting; bytes of `depth` levels at the start of `line`, nullopt: there are fewer.
std::optional<std::size_t> quote_length(std::string_view line, std::size_t depth) {
  std::size_t at = 0;
  for (std::size_t level = 0; level < depth; ++level) {
    if (at >= line.size() || line[at] != '>') return std::nullopt;
    ++at;
    if (at < line.size() && line[at] == ' ') ++at;
  }
  return at;
}

std::size_t quote_depth(std::string_view line) {
  std::size_t depth = 0;
  while (depth < 6 && quote_length(line, depth + 1)) ++depth;
  return depth;
}

// Quoted lines stand together: a single line with ">" is pytest's current one or loguru's frame. The least depth of a
// stretch counts, since quoted text may have such lines.
CleanText without_quotes(CleanText text) {
  const std::vector<Line> lines = lines_of(text.text());
  CleanText out;
  out.take_lines(text);
  bool any = false;
  for (std::size_t begin = 0; begin < lines.size();) {
    std::size_t end = begin, depth = std::string_view::npos;
    for (; end < lines.size() && lines[end].text.starts_with(">") && !lines[end].text.starts_with(">>>"); ++end) {
      depth = std::min(depth, quote_depth(lines[end].text));
    }
    const bool quoted = end - begin >= 2 || (end - begin == 1 && lines.size() == 1);
    if (end == begin) end = begin + 1;
    for (; begin < end; ++begin) {
      const std::size_t skip = quoted ? quote_length(lines[begin].text, depth).value_or(0) : 0;
      any = any || skip != 0;
      out.take(text, lines[begin].begin + skip, lines[begin].end + 1);
    }
  }
  return any ? out : text;
}

// Marks that cover most of the text, where no line tells more (only the last lines were pasted).
using MarkLength = std::size_t (*)(std::string_view);
CleanText without_mark(CleanText text, MarkLength mark, bool wherever) {
  const std::vector<Line> lines = lines_of(text.text());
  std::size_t filled = 0, marked = 0;
  for (const Line& line : lines) {
    if (trim(line.text).empty()) continue;
    ++filled;
    if (mark(line.text) != 0) ++marked;
  }
  if (marked == 0 || (!wherever && marked * 2 < filled)) return text;
  CleanText out;
  out.take_lines(text);
  for (const Line& line : lines) out.take(text, line.begin + mark(line.text), line.end + 1);
  return out;
}

}  // namespace

CleanText without_prefixes(CleanText text) {
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t before = text.text().size();
    text = without_quotes(std::move(text));
    text = without_common(std::move(text));
    text = without_learnt(std::move(text));
    text = without_mark(std::move(text), rank_length, true);
    text = without_mark(std::move(text), timestamp_length, false);
    text = without_common_indentation(std::move(text));
    if (text.text().size() == before) break;
  }
  return text;
}

}  // namespace whyfail::matchers
