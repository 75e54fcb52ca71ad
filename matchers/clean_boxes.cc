// Rich's boxes: borders go, paths folded at the width of the box are joined. What is left inside keeps its own form:
// "❱ 120 │ code".
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matchers/clean_steps.h"
#include "matchers/text_lines.h"
#include "matchers/traceback_lines.h"

namespace whyfail::matchers {
namespace {

struct Inside {
  std::size_t begin = 0;  // bytes of the text between the borders, padding included
  std::size_t end = 0;
  bool closed = false;  // a border stood at the right too
};

constexpr int kDeepest = 4;
constexpr std::array<std::string_view, 2> kSides = {"│", "┃"};

std::optional<Inside> inside_of(const Line& line, bool plain_border) {
  const std::string_view right_trimmed = trim_right(line.text);
  const std::string_view text = trim_left(right_trimmed);
  const std::size_t indent = right_trimmed.size() - text.size();
  std::size_t left = 0, right = 0;
  for (const std::string_view side : kSides) {
    if (text.starts_with(side)) left = side.size();
    if (text.size() > left && text.ends_with(side)) right = side.size();
  }
  if (left == 0 && plain_border && text.starts_with("|")) {
    left = 1;
    right = text.size() > 1 && text.ends_with("|") ? 1 : 0;
  }
  if (left == 0) return std::nullopt;
  return Inside{line.begin + indent + left, line.begin + right_trimmed.size() - right, right != 0};
}

bool is_top(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.starts_with("╭") || text.starts_with("┌") || text.starts_with("┏")) return true;
  return text.starts_with("+-") && text.ends_with("-+") &&
         (contains(text, " Traceback (most recent call last) ") || contains(text, "- locals -"));
}

bool is_bottom(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.starts_with("╰") || text.starts_with("└─") || text.starts_with("┗")) return true;
  return text.starts_with("+-") && text.ends_with("-+") && text.find_first_not_of("+-") == std::string_view::npos;
}

// The path of a frame that goes on below: "/home/…/auto_factory" + ".py:564 in from_pretrained".
bool is_open_path(std::string_view text) {
  if (text.empty() || numbered_line(text, Layout::rich)) return false;
  const bool path = text.front() == '/' || text.front() == '~' || text.front() == '<' ||
                    (text.size() > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/'));
  if (!path) return false;
  const auto frame = frame_line(text);
  return !frame || frame->layout != Layout::rich;
}

class Boxes {
 public:
  explicit Boxes(const CleanText& text) : text_(text), lines_(lines_of(text.text())) { out_.take_lines(text); }

  CleanText opened() {
    for (index_ = 0; index_ < lines_.size(); ++index_) read(lines_[index_]);
    return std::move(out_);
  }

 private:
  void read(const Line& line) {
    if (is_top(line.text)) {
      if (contains(line.text, "─ locals ─") || contains(line.text, "- locals -")) return skip_values();
      in_box_ = true;
      plain_border_ = trim_left(line.text).starts_with("+");
      if (head_line(line.text)) return take_title(line);
      return;  // the top of an inner box without a title that counts
    }
    if (in_box_ && is_bottom(line.text)) {
      in_box_ = false;
      out_.replace("\n", text_, line.begin, line.end);
      return;
    }
    const auto inside = inside_of(line, in_box_ && plain_border_);
    if (!inside || (!in_box_ && !inside->closed)) {
      if (!trim(line.text).empty()) in_box_ = in_box_ && inside.has_value();
      out_.take(text_, line.begin, line.end + 1);
      return;
    }
    take_inside(*inside, line);
  }

  void take_title(const Line& line) {
    const std::size_t begin = line.begin + line.text.find("Traceback");
    out_.take(text_, begin, begin + std::string_view("Traceback (most recent call last)").size());
    out_.replace("\n", text_, line.end, line.end + 1);
  }

  void take_inside(Inside inside, const Line& line) {
    const std::string_view all = text_.text();
    std::string_view shown = all.substr(inside.begin, inside.end - inside.begin);
    if (shown.starts_with(" ")) {
      shown.remove_prefix(1);
      ++inside.begin;
    }
    const std::size_t width = length_in_characters(shown);
    const std::string_view kept = trim_right(shown);
    out_.take(text_, inside.begin, inside.begin + kept.size());
    if (is_open_path(std::string_view(out_.text()).substr(line_start())) && next_goes_on()) {
      // Full up to the padding: folded inside the word. Otherwise it was broken at a blank.
      const bool folded = length_in_characters(kept) + 1 >= width && !next_starts_with("in ") && !kept.ends_with(" in");
      if (!folded) out_.replace(" ", text_, line.end, line.end + 1);
      return;
    }
    out_.replace("\n", text_, line.end, line.end + 1);
  }

  std::size_t line_start() const {
    const std::size_t newline = out_.text().rfind('\n');
    return newline == std::string::npos ? 0 : newline + 1;
  }

  std::string_view next_inside() const {
    if (index_ + 1 >= lines_.size()) return {};
    const auto next = inside_of(lines_[index_ + 1], plain_border_);
    return next ? trim(std::string_view(text_.text()).substr(next->begin, next->end - next->begin))
                : std::string_view{};
  }

  bool next_goes_on() const {
    const std::string_view next = next_inside();
    if (next.empty() || out_.text().size() - line_start() > 1024) return false;
    return !next.starts_with("❱") && !starts_inner_box(next);  // source stands below an empty line
  }

  bool next_starts_with(std::string_view beginning) const { return next_inside().starts_with(beginning); }

  static bool starts_inner_box(std::string_view shown) {
    const std::string_view text = trim(shown);
    return text.starts_with("╭─") || text.starts_with("┌─") || (text.starts_with("+-") && text.ends_with("-+"));
  }

  // The values of local variables: no part of the traceback, kept as they stand.
  void skip_values() {
    for (; index_ < lines_.size(); ++index_) {
      out_.take(text_, lines_[index_].begin, lines_[index_].end + 1);
      if (is_bottom(lines_[index_].text)) return;
      if (index_ + 1 < lines_.size() && !is_row(lines_[index_ + 1].text)) return;
    }
  }

  static bool is_row(std::string_view line) {
    const std::string_view text = trim(line);
    return is_bottom(text) || text.starts_with("│") || text.starts_with("┃") || text.starts_with("|");
  }

  const CleanText& text_;
  std::vector<Line> lines_;
  std::size_t index_ = 0;
  CleanText out_;
  bool in_box_ = false;
  bool plain_border_ = false;
};

}  // namespace

CleanText without_boxes(CleanText text) {
  const std::string_view bytes = text.text();
  const bool lines = contains(bytes, "│") || contains(bytes, "┃");
  if (!lines && !contains(bytes, "- Traceback (most recent call last) -")) return text;
  // The members of an exception group stand in boxes of their own inside the group's.
  for (int depth = 0; depth < kDeepest; ++depth) {
    const std::size_t before = text.text().size();
    text = Boxes(text).opened();
    if (text.text().size() == before) break;
  }
  return text;
}

}  // namespace whyfail::matchers
