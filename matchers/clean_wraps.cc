// Lines broken at a terminal's or an editor's width are joined again. A hard wrap cuts anywhere, also inside a word,
// and always at the same column; a word wrap cuts at blanks. Both show where they break what can't be broken: the line
// of a frame, a row of carets, a box, source between frames.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matchers/clean_steps.h"
#include "matchers/text_lines.h"
#include "matchers/traceback_lines.h"

namespace whyfail::matchers {
namespace {

constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kWidest = 250;
constexpr std::size_t kLongestFrameLine = 2048;
constexpr std::size_t kPiecesOfAFrame = 4;

// The line from where its frame begins: what stands before may be a prefix.
std::string_view frame_part(std::string_view line) {
  const std::size_t at = line.substr(0, 160).find("File \"");
  return at == std::string_view::npos || at == 0 || line[at - 1] != ' ' ? line : line.substr(at);
}

bool starts_frame(std::string_view line) {
  const std::string_view text = trim(frame_part(line));
  return text == "File" || text.starts_with("File \"") || text.starts_with("File ~") || text.starts_with("File /") ||
         text.starts_with("Cell In");
}

bool is_whole_frame(std::string_view line) {
  const auto frame = frame_line(frame_part(line));
  return frame && frame->line > 0 && !frame->function.empty();
}

// A line that begins something, so that it can't be the rest of the line above.
bool begins_something(std::string_view line) {
  if (trim(line).empty() || head_line(line) || connective(line) != Link::none || is_rule(line)) return true;
  if (starts_frame(line) || is_caret_line(line)) return true;
  const auto exception = exception_line(line);
  if (!exception || indentation(line) != 0) return false;
  return exception->certain || (contains(exception->type, ".") && !exception->message.empty());
}

// Rows of a table are as long as one another without being cut.
bool is_row(std::string_view text) {
  return text.starts_with("|") || text.starts_with("+") || contains(text, "│") || contains(text, "─") || is_rule(text);
}

// Text that would show by itself where it is broken.
bool shows_code(std::string_view text) {
  return contains(text, "\", line ") || contains(text, "(most recent call last)") || contains(text, "--> ");
}

// Borders, also as they look where UTF-8 was read in a console's code page (clean_code_pages.cc).
constexpr std::array<std::string_view, 15> kLeft = {"│",   "╭",   "╰",   "Γöé", "Γò¡", "Γò░", "Ôöé", "Ôò¡",
                                                    "Ôò░", "тФВ", "тХн", "тХ░", "â”‚", "â•­", "â•°"};
constexpr std::array<std::string_view, 15> kRight = {"│",   "╮",   "╯",   "Γöé", "Γò«", "Γò»", "Ôöé", "Ôò«",
                                                     "Ôò»", "тФВ", "тХо", "тХп", "â”‚", "â•®", "â•¯"};

bool starts_with_border(std::string_view text) {
  return std::any_of(kLeft.begin(), kLeft.end(), [&](std::string_view border) { return text.starts_with(border); });
}

bool ends_with_border(std::string_view text) {
  return std::any_of(kRight.begin(), kRight.end(), [&](std::string_view border) { return text.ends_with(border); });
}

bool is_border(std::string_view text) { return std::find(kLeft.begin(), kLeft.end(), text) != kLeft.end(); }

// A row of a box without the border that closes it.
bool is_open_row(std::string_view line) {
  const std::string_view text = trim(line);
  return starts_with_border(text) && (!ends_with_border(text) || is_border(text));
}

bool closes_row(std::string_view line) {
  const std::string_view text = trim(line);
  return ends_with_border(text) && (!starts_with_border(text) || is_border(text));
}

// A log record that stands on one line: {"…": …}
bool is_open_record(std::string_view line) { return line.starts_with("{\"") && !trim_right(line).ends_with("}"); }

// "File path:12, in name(self, first" of IPython without the parenthesis that closes it.
bool is_open_signature(std::string_view line) {
  const auto frame = frame_line(line);
  if (!frame || frame->layout != Layout::ipython || frame->function.empty()) return false;
  const std::string_view text = trim_right(line);
  const auto end = static_cast<std::size_t>(frame->function.data() - text.data()) + frame->function.size();
  return end < text.size() && text[end] == '(' && text.back() != ')';
}

// "> …" above "> …", "app-1  | …" above "app-1  | …": each line has its own beginning.
bool share_prefix(std::string_view line, std::string_view next) {
  const std::string_view word = line.substr(0, std::min<std::size_t>(line.find(' '), 64));
  const bool mark = !std::all_of(word.begin(), word.end(), is_identifier);
  return mark && line.size() > word.size() && next.starts_with(word) && next.substr(word.size()).starts_with(" ");
}

// "site-" + "packages": words are broken behind their hyphens too.
bool breaks_at_hyphen(std::string_view line) {
  const std::string_view text = trim_right(line);
  return text.size() > 1 && text.back() == '-' && is_letter(text[text.size() - 2]);
}

// How many of the lines after `index`, put behind it with `glue`, make a whole frame line of it; 0: none do.
std::size_t pieces_of_frame(const std::vector<Line>& lines, std::size_t index, std::string_view glue) {
  if (!starts_frame(lines[index].text) || is_whole_frame(lines[index].text)) return 0;
  std::string joined(glue.empty() ? lines[index].text : trim_right(lines[index].text));
  for (std::size_t more = 1; more < kPiecesOfAFrame && index + more < lines.size(); ++more) {
    const std::string_view next = lines[index + more].text;
    if (trim(next).empty() || starts_frame(next) || share_prefix(lines[index].text, next) ||
        joined.size() + next.size() > kLongestFrameLine)
      return 0;
    if (!breaks_at_hyphen(joined)) joined += glue;
    joined += glue.empty() ? next : trim(next);
    const auto frame = frame_line(frame_part(joined));
    if (frame && frame->line > 0 && !frame->function.empty() && frame->layout != Layout::rich) return more;
  }
  return 0;
}

// A colour sequence with its end on the next line: "…[38;5;2" + "55m…".
bool breaks_sequence(std::string_view line, std::string_view next) {
  const std::size_t open = line.rfind('[');
  if (open == std::string_view::npos || line.size() - open > 16 || line.size() < 80) return false;
  if (line.find_first_not_of("0123456789;", open + 1) != std::string_view::npos) return false;
  const std::size_t end = next.find_first_not_of("0123456789;");
  const bool escaped = open > 0 && (line[open - 1] == '\x1b' || line[open - 1] == 'b' || line[open - 1] == '^');
  return end != std::string_view::npos && end < 12 && next[end] == 'm' && (escaped || open + 1 < line.size());
}

// Whether the break between two lines is one that only a wrap makes.
bool is_wrapped(const std::vector<Line>& lines, std::size_t index, bool in_source) {
  const std::string_view line = lines[index].text, next = lines[index + 1].text;
  if (pieces_of_frame(lines, index, "") != 0) return true;
  if (is_caret_line(line) && indentation(line) > 0 && is_caret_line(next) && indentation(next) == 0) return true;
  if (is_open_row(line)) return closes_row(next);
  if (breaks_sequence(line, next)) return true;
  if (is_open_record(line)) return !next.starts_with("{") && !trim(next).empty();
  if (is_open_signature(line))
    return indentation(next) == 0 && !trim(next).empty() && !numbered_line(next, Layout::ipython);
  if (is_whole_frame(line)) {
    const std::string_view rest = trim(next);
    return indentation(next) == 0 && !rest.empty() && rest.size() < 40 && !begins_something(next) &&
           std::all_of(rest.begin(), rest.end(), [](char c) { return is_identifier(c) || c == '>'; });
  }
  const bool source = indentation(line) >= 4 || (line.starts_with("-") && numbered_line(line, Layout::ipython));
  return in_source && source && indentation(next) == 0 && !begins_something(next) && !ends_message(next);
}

struct Width {
  std::size_t columns = 0;
};

// Without a traceback: every line that goes on is exactly as long as the longest one.
std::optional<Width> width_of_plain_text(const std::vector<std::size_t>& lengths, const std::vector<Line>& lines) {
  std::size_t longest = 0;
  for (const std::size_t length : lengths) longest = std::max(longest, length);
  if (longest < kNarrowest || longest > kWidest || lines.size() < 2) return std::nullopt;
  std::size_t full = 0, ragged = 0;
  bool sentence_ends = false;
  for (std::size_t index = 0; index + 1 < lines.size(); ++index) {
    if (trim(lines[index + 1].text).empty()) continue;
    if (is_row(lines[index].text) || shows_code(lines[index].text)) return std::nullopt;
    // A progress bar ends where it ends; that is no cut.
    if (contains(lines[index].text, "%|")) continue;
    if (lengths[index] == longest) {
      ++full;
      sentence_ends = lines[index].text.ends_with(".");
    } else if (lengths[index] * 10 >= longest * 8) {
      ++ragged;
    }
  }
  constexpr std::size_t kUsual[] = {72, 76, 78, 79, 80, 90, 96, 100, 110, 120, 132, 140, 150, 160};
  const bool usual = std::find(std::begin(kUsual), std::end(kUsual), longest) != std::end(kUsual);
  if (ragged > 0 || full == 0) return std::nullopt;
  // One line alone that ends with its sentence is as long as that by chance.
  return full >= 2 || (usual && !sentence_ends) ? std::optional(Width{longest}) : std::nullopt;
}

std::optional<Width> hard_width(const std::vector<Line>& lines, const std::vector<std::size_t>& lengths) {
  std::map<std::size_t, std::size_t> votes;
  std::size_t all = 0, at_words = 0;
  bool in_source = false, any_frame = false;
  for (std::size_t index = 0; index + 1 < lines.size(); ++index) {
    const bool frame = is_whole_frame(lines[index].text);
    any_frame = any_frame || frame;
    if (frame) in_source = true;
    if (indentation(lines[index].text) == 0 && begins_something(lines[index].text)) in_source = false;
    // A frame that is whole only with a blank at the break was broken at words.
    if (pieces_of_frame(lines, index, "") == 0 && pieces_of_frame(lines, index, " ") != 0) ++at_words;
    if (lengths[index] < kNarrowest || !is_wrapped(lines, index, in_source && !frame)) continue;
    ++votes[lengths[index]];
    ++all;
  }
  if (at_words > 0 && at_words >= all) return std::nullopt;
  if (all == 0) return any_frame ? std::nullopt : width_of_plain_text(lengths, lines);
  const auto best = std::max_element(votes.begin(), votes.end(), [](auto& a, auto& b) { return a.second < b.second; });
  if (best->second * 10 < all * 6) return std::nullopt;
  return Width{best->first};
}

bool goes_on(std::string_view line, std::string_view next) {
  if (trim(next).empty() || next.starts_with("  File \"")) return false;
  if (is_open_row(line)) return closes_row(next);
  if (share_prefix(line, next)) return false;
  if (is_row(line) && is_row(next) && next.size() >= 8) return false;
  if (indentation(next) >= 2 && (is_whole_frame(line) || indentation(next) >= 4)) return false;
  return !begins_something(next) || is_caret_line(line);
}

CleanText without_hard_wraps(CleanText text) {
  const std::vector<Line> lines = lines_of(text.text());
  std::vector<std::size_t> lengths;
  lengths.reserve(lines.size());
  for (const Line& line : lines) lengths.push_back(length_in_characters(line.text));
  const auto width = hard_width(lines, lengths);
  if (!width) return text;
  CleanText out;
  out.take_lines(text);
  for (std::size_t index = 0; index < lines.size(); ++index) {
    const Line& line = lines[index];
    const bool joined =
        lengths[index] == width->columns && index + 1 < lines.size() && goes_on(line.text, lines[index + 1].text);
    out.take(text, line.begin, joined ? line.end : line.end + 1);
  }
  return out;
}

// Rows of a box broken at blanks: "│ text" + "rest │", and "│" + "│" where the row was empty. Marks the lines that go
// on; returns how many rows were found.
int join_rows(const std::vector<Line>& lines, std::vector<bool>& joined) {
  int rows = 0;
  for (std::size_t index = 0; index + 1 < lines.size(); ++index) {
    if (!is_open_row(lines[index].text)) continue;
    for (std::size_t more = 1; more < kPiecesOfAFrame && index + more < lines.size(); ++more) {
      const std::string_view next = trim(lines[index + more].text);
      if (closes_row(next)) {
        for (std::size_t piece = 0; piece < more; ++piece) joined[index + piece] = true;
        index += more;
        ++rows;
        break;
      }
      if (starts_with_border(next) || next.empty()) break;
    }
  }
  return rows;
}

// Frame lines broken at blanks, and then the source between them too.
CleanText without_word_wraps(CleanText text) {
  const std::vector<Line> lines = lines_of(text.text());
  std::vector<bool> joined(lines.size(), false);  // with the line below
  bool any = join_rows(lines, joined) > 1;
  if (!any) std::fill(joined.begin(), joined.end(), false);
  for (std::size_t index = 0; index + 1 < lines.size(); ++index) {
    const std::size_t more = pieces_of_frame(lines, index, " ");
    for (std::size_t piece = 0; piece < more; ++piece) joined[index + piece] = any = true;
  }
  if (!any) return text;
  bool in_source = false;
  for (std::size_t index = 0; index + 1 < lines.size(); ++index) {
    const bool end_of_frame = index > 0 && joined[index - 1] && !joined[index];
    if (is_whole_frame(lines[index].text) || end_of_frame) {
      in_source = true;
      continue;
    }
    if (begins_something(lines[index].text) && !is_caret_line(lines[index].text)) in_source = false;
    const std::string_view next = lines[index + 1].text;
    if (!in_source || joined[index] || begins_something(lines[index].text)) continue;
    if (indentation(next) == 0 && !begins_something(next) && !ends_message(next)) joined[index] = true;
  }
  CleanText out;
  out.take_lines(text);
  for (std::size_t index = 0; index < lines.size(); ++index) {
    const Line& line = lines[index];
    const bool was_joined = index > 0 && joined[index - 1];
    const std::size_t begin = line.begin + (was_joined ? indentation(line.text) : 0);
    if (!joined[index]) {
      out.take(text, begin, line.end + 1);
      continue;
    }
    out.take(text, begin, line.begin + trim_right(line.text).size());
    if (!breaks_at_hyphen(line.text)) out.replace(" ", text, line.end, line.end + 1);
  }
  return out;
}

}  // namespace

CleanText without_wraps(CleanText text) { return without_word_wraps(without_hard_wraps(std::move(text))); }

}  // namespace whyfail::matchers
