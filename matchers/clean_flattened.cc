// A traceback whose line ends became blanks gets them back: before every frame, after its name, before connectives
// and heads, and before the exception.
#include <algorithm>
#include <string_view>
#include <vector>

#include "matchers/clean_steps.h"
#include "matchers/text_lines.h"
#include "matchers/traceback_lines.h"

namespace whyfail::matchers {
namespace {

constexpr std::string_view kHead = "Traceback (most recent call last)";

bool is_flattened(std::string_view line) {
  const std::size_t head = line.find(kHead);
  if (head != std::string_view::npos && line.find("╮ ", head) != std::string_view::npos) return true;
  if (head != std::string_view::npos) {
    const std::string_view after = trim_left(line.substr(head + kHead.size()));
    const std::string_view text = trim_left(after.starts_with(":") ? after.substr(1) : after);
    if (text.starts_with("File ") || text.starts_with("Cell In") || text.starts_with("Input In")) return true;
    const auto exception = exception_line(text);
    if (exception && exception->certain) return true;
  }
  const std::size_t first = line.find("File \"");
  if (first == std::string_view::npos) return false;
  const std::size_t second = line.find("File \"", first + 6);
  return second != std::string_view::npos && line.find("\", line ", first) < second &&
         line.find("\", line ", second) != std::string_view::npos;
}

// Where line ends belong, as the bytes of blanks in the line.
class Breaks {
 public:
  explicit Breaks(std::string_view line) : line_(line) {}

  std::vector<std::size_t> found() {
    for (std::size_t at = 0; at < line_.size();) {
      const std::size_t blank = line_.find(' ', at);
      if (blank == std::string_view::npos) break;
      at = blank + 1;
      read_word(blank);
    }
    return std::move(breaks_);
  }

 private:
  void add(std::size_t at) {
    if (breaks_.empty() || breaks_.back() < at) breaks_.push_back(at);
  }

  // What the text behind a blank begins.
  void read_word(std::size_t blank) {
    const std::string_view rest = line_.substr(blank + 1);
    if (rest.empty()) return;
    if (rest.starts_with("╭─") || rest.starts_with("╰─")) return add(blank);
    if (line_.substr(0, blank).ends_with("╮") || line_.substr(0, blank).ends_with("╯")) {
      add(blank);
      in_frames_ = true;
    }
    if (rest.starts_with("File \"")) return begin_frame(blank, rest);
    if (rest.starts_with(kHead)) return begin_head(blank);
    if (rest.starts_with("During handling of the above exc") ||
        rest.starts_with("The above exception was the direct")) {
      add(blank);
      in_frames_ = false;
      return;
    }
    if (rest.starts_with("File ~") || rest.starts_with("File /") || rest.starts_with("Cell In[") ||
        rest.starts_with("--") || rest.starts_with("-> ")) {
      if (rest.front() != '-' || rest.substr(0, 8).find("> ") != std::string_view::npos) add(blank);
      in_frames_ = true;
      return;
    }
    if (in_frames_) begin_exception(blank, rest);
  }

  void begin_head(std::size_t blank) {
    // IPython's head has the type before it, on the same line.
    std::size_t begin = blank;
    while (begin > 0 && is_blank(line_[begin - 1])) --begin;
    std::size_t word = begin;
    while (word > 0 && (is_identifier(line_[word - 1]) || line_[word - 1] == '.')) --word;
    const auto type = exception_line(line_.substr(word, begin - word));
    const bool announced = type && type->certain && blank - begin + 1 > 2;
    if (announced ? word > 0 : true) add(announced ? word - 1 : blank);
    const std::size_t end = blank + 1 + kHead.size();
    const std::size_t after = end < line_.size() && line_[end] == ':' ? end + 1 : end;
    if (after < line_.size() && line_[after] == ' ') add(after);
    in_frames_ = true;
  }

  void begin_frame(std::size_t blank, std::string_view rest) {
    add(blank);
    in_frames_ = true;
    const auto frame = frame_line(rest.substr(0, 2048));
    if (!frame || frame->function.empty()) return;
    const std::size_t end = static_cast<std::size_t>(frame->function.data() - line_.data()) + frame->function.size();
    if (end < line_.size() && line_[end] == ' ') add(end);
  }

  void begin_exception(std::size_t blank, std::string_view rest) {
    if (rest.front() < 'A' || !is_letter(rest.front())) return;
    const std::string_view word = rest.substr(0, std::min<std::size_t>(rest.find(' '), 200));
    if (!word.ends_with(":")) return;
    const auto exception = exception_line(word);
    if (!exception || !exception->certain) return;
    const std::string_view before = trim_right(line_.substr(0, blank));
    if (before.ends_with(" except") || before.ends_with(" raise")) return;
    add(blank);
    in_frames_ = false;
  }

  std::string_view line_;
  std::vector<std::size_t> breaks_;
  bool in_frames_ = false;
};

}  // namespace

CleanText with_line_breaks(CleanText text) {
  CleanText out;
  std::size_t kept = 0;
  for (const Line& line : lines_of(text.text())) {
    if (line.text.size() < 60 || !is_flattened(line.text)) continue;
    for (const std::size_t at : Breaks(line.text).found()) {
      const std::size_t blank = line.begin + at;
      if (blank < kept) continue;
      out.take(text, kept, blank);
      out.replace("\n", text, blank, blank + 1);
      kept = blank + 1;
    }
  }
  if (kept == 0) return text;
  out.take(text, kept, text.text().size());
  out.take_lines(text);
  return out;
}

}  // namespace whyfail::matchers
