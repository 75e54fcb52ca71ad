// Reads tracebacks out of cleaned text: line by line, one exception open at a time.
#include "matchers/traceback.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "matchers/text_lines.h"
#include "matchers/traceback_fatal.h"
#include "matchers/traceback_lines.h"

namespace whyfail::matchers {
namespace {

// Bounds that no real traceback reaches; they keep the reading of hostile text linear and small.
constexpr std::size_t kLongestMessageLines = 400;
constexpr std::size_t kLooseLines = 400;
constexpr std::size_t kSourceLines = 200;
constexpr int kProseAfterHead = 3;
constexpr std::size_t kHeadingLines = 4;

std::string_view last_name(std::string_view dotted) { return dotted.substr(dotted.rfind('.') + 1); }

class Reader {
 public:
  explicit Reader(const CleanText& clean) : clean_(clean), lines_(lines_of(clean.text())) {}

  std::vector<Chain> read() {
    for (index_ = 0; index_ < lines_.size(); ++index_) read_line(lines_[index_]);
    close_message();
    close_cut();
    close_chain();
    return std::move(chains_);
  }

 private:
  void read_line(const Line& line) {
    if (const Link link = connective(line.text); link != Link::none) return join(link);
    if (const auto head = head_line(line.text)) return open_head(line, *head);
    if (in_group_ && ends_group(line.text)) {
      close_message();
      close_cut();
      return close_chain();
    }
    if (message_open_ && !ends_here(line)) return extend_message(line);
    if (const auto frame = frame_line(line.text)) return add_frame(line, *frame);
    if (open_ ? read_inside(line) : read_outside(line)) return;
    keep_loose(line);
  }

  // --- heads, links, ends -------------------------------------------------------------------------------------------

  void join(Link link) {
    close_message();
    close_cut();
    if (chain_.raised.empty()) return;
    chain_.raised.back().link = link;
    joined_ = true;
  }

  void open_head(const Line& line, const HeadLine& head) {
    close_message();
    close_cut();
    if (!joined_ && !in_group_) close_chain();
    if (head.group) in_group_ = true;
    joined_ = false;
    start(line);
    announced_ = head.type;
    head_line_ = line;
    has_head_ = true;
  }

  // "    +------------------------------------": the border below the last member, unless it is a nested group's.
  static bool ends_group(std::string_view line) {
    const std::string_view text = trim(line);
    return text.size() > 8 && text.front() == '+' && indentation(line) <= 4 &&
           text.find_first_not_of('-', 1) == std::string_view::npos;
  }

  void start(const Line& line) {
    open_.emplace();
    block_begin_ = line.begin;
    announced_ = {};
    has_head_ = false;
    prose_ = 0;
    loose_.clear();
  }

  // An exception whose last line was cut off: its frames are kept, its type only where the head announced it.
  void close_cut() {
    if (!open_) return;
    close_frame();
    if (open_->frames.empty() && announced_.empty()) {
      open_.reset();
      return;
    }
    if (frames_of_last_ && announced_.empty()) return give_frames_to_last();
    const Line& place = has_head_ ? head_line_ : lines_[index_ < lines_.size() ? index_ : lines_.size() - 1];
    open_->type = announced_;
    open_->clean_begin = announced_.empty() ? frames_end_ : place.begin + indentation(place.text);
    open_->clean_end = open_->clean_begin + announced_.size();
    finish(frames_end_ > open_->clean_end ? frames_end_ : open_->clean_end);
  }

  // "Type: message" with its frames below it, as error trackers show it, often the newest frame first.
  void give_frames_to_last() {
    Raised& raised = chain_.raised.back();
    raised.frames = std::move(open_->frames);
    if (in_package(raised.frames.front()) && !in_package(raised.frames.back())) {  // newest first
      std::reverse(raised.frames.begin(), raised.frames.end());
    }
    raised.where.end = clean_.origin(block_begin_, frames_end_).end;
    frames_of_last_ = false;
    open_.reset();
  }

  static bool in_package(const Frame& frame) { return contains(frame.file, "-packages"); }

  void finish(std::size_t end) {
    if (frames_of_last_) close_chain();
    Raised raised = std::move(*open_);
    open_.reset();
    raised.where = clean_.origin(block_begin_, std::max(end, block_begin_));
    raised.message_begin = clean_.origin(raised.clean_begin, raised.clean_begin + 1).begin;
    raised.line = clean_.line_of(std::min(raised.clean_begin, clean_.text().empty() ? 0 : clean_.text().size() - 1));
    chain_.raised.push_back(std::move(raised));
    joined_ = false;
  }

  void close_chain() {
    frames_of_last_ = false;
    if (!chain_.raised.empty()) chains_.push_back(std::move(chain_));
    chain_ = {};
    in_group_ = false;
  }

  // --- frames -------------------------------------------------------------------------------------------------------

  void add_frame(const Line& line, const FrameLine& shown) {
    close_message();
    if (shown.layout == Layout::pytest && shown.source_stands_before && !open_ && !shown.type.empty()) {
      return attach_location(line, shown);
    }
    // "path.py:12:" without source above is the place of a warning, broken off.
    if (shown.source_stands_before && shown.type.empty() && !loose_has_current()) return;
    if (!open_) {
      if (!joined_ && !in_group_) {
        frames_of_last_ = shown.layout == Layout::python && stands_below_message();
        if (!frames_of_last_) close_chain();
      }
      auto loose = std::move(loose_);
      start(line);
      loose_ = std::move(loose);
    }
    close_frame();
    Frame frame;
    frame.file = shown.file;
    frame.line = shown.line;
    frame.function = shown.function;
    layout_ = shown.layout;
    frame_indentation_ = indentation(line.text);
    frame_begin_ = line.begin;
    frames_end_ = line.end;
    open_->frames.push_back(std::move(frame));
    frame_open_ = true;
    gap_ = false;
    if (shown.source_stands_before) {
      take_loose(open_->frames.back());
      close_frame();
    }
    loose_.clear();
  }

  // Below an exception without frames, with a heading between them at most.
  bool stands_below_message() const {
    if (chain_.raised.size() != 1 || !chain_.raised.back().frames.empty()) return false;
    return !chain_.raised.back().type.empty() && index_ - message_index_ <= kHeadingLines;
  }

  bool loose_has_current() const {
    return std::any_of(loose_.begin(), loose_.end(), [&](std::size_t at) { return lines_[at].text.starts_with(">"); });
  }

  // pytest's "path.py:12: ValueError" after the E lines: the last frame of the exception just read.
  void attach_location(const Line& line, const FrameLine& shown) {
    if (chain_.raised.empty() || last_name(chain_.raised.back().type) != last_name(shown.type)) return;
    Raised& raised = chain_.raised.back();
    Frame frame;
    frame.file = shown.file;
    frame.line = shown.line;
    frame.where = clean_.origin(line.begin, line.end);
    take_loose(frame);
    raised.where.end = std::max(raised.where.end, frame.where.end);
    raised.frames.push_back(std::move(frame));
    loose_.clear();
  }

  // Lines shown before the place they belong to (pytest): ">" marks the current one.
  void take_loose(Frame& frame) {
    while (!loose_.empty() && trim(lines_[loose_.back()].text).empty()) loose_.pop_back();
    int before_current = 0;
    for (const std::size_t index : loose_) {
      const Line& line = lines_[index];
      SourceLine source;
      source.text = trim_right(line.text);
      source.current = line.text.starts_with(">");
      if (source.current) {
        source.text[0] = ' ';
        source.number = frame.line;
        before_current = static_cast<int>(frame.source.size());
      }
      source.where = clean_.origin(line.begin, line.end);
      frame.source.push_back(std::move(source));
    }
    const bool marked = !frame.source.empty() && frame.source[static_cast<std::size_t>(before_current)].current;
    if (!marked && !frame.source.empty()) frame.source.back().current = true;
  }

  void close_frame() {
    if (!frame_open_ || !open_ || open_->frames.empty()) return;
    Frame& frame = open_->frames.back();
    frame.where = clean_.origin(frame_begin_, frames_end_);
    const bool marked = std::any_of(frame.source.begin(), frame.source.end(), [](auto& line) { return line.current; });
    if (!marked && !frame.source.empty()) {
      frame.source.front().current = true;
      if (frame.source.front().number == 0) frame.source.front().number = frame.line;
    }
    frame_open_ = false;
  }

  void add_source(const Line& line, int number, std::string text, bool current) {
    Frame& frame = open_->frames.back();
    if (frame.source.size() >= kSourceLines) return;
    frame.source.push_back({number, std::move(text), current, clean_.origin(line.begin, line.end)});
    frames_end_ = line.end;
  }

  // --- lines of an open exception -----------------------------------------------------------------------------------

  bool read_inside(const Line& line) {
    const std::string_view text = trim(line.text);
    if (text.empty()) return frame_gap();
    if (is_caret_line(line.text) || is_value_line(line.text)) return true;
    if (text.starts_with("[Previous line repeated ")) return true;
    if (frame_open_ && read_source(line)) return true;
    if (is_exception_here(line)) {
      complete(line, *exception_line(line.text));
      return true;
    }
    if (is_rule(line.text)) {
      loose_.clear();
      return true;
    }
    if (open_->frames.empty() && ++prose_ > kProseAfterHead) close_cut();
    return false;
  }

  bool frame_gap() {
    gap_ = true;
    return layout_ != Layout::pytest;
  }

  // Source of the frame read last, in the layout of that frame.
  bool read_source(const Line& line) {
    Frame& frame = open_->frames.back();
    if (layout_ == Layout::ipython || layout_ == Layout::rich) {
      const auto numbered = numbered_line(line.text, layout_);
      if (!numbered && frame.source.empty() && !gap_ && indentation(line.text) >= 4) {  // a syntax error's line
        add_source(line, frame.line, std::string(trim_right(line.text)), true);
        return true;
      }
      if (!numbered) return false;
      const bool current = numbered->arrow || (numbered->number == frame.line && frame.line != 0);
      if (frame.line == 0 && numbered->arrow) frame.line = numbered->number;
      add_source(line, numbered->number, without_guides(numbered->code), current);
      return true;
    }
    const auto exception = exception_line(line.text);
    const bool certain = exception && exception->certain;
    const std::size_t indent = indentation(line.text);
    const bool deeper = indent > frame_indentation_ + (layout_ == Layout::pytest ? 3 : 0);
    if (deeper ? (certain && frame_indentation_ == 0 && !frame.source.empty()) : is_exception_here(line)) return false;
    if (is_rule(line.text) || starts_box(line.text)) return false;
    // A line that is not deeper is the rest of a wrapped one, or source that lost its indentation.
    if (!deeper && frame.source.size() > 8) return false;
    add_source(line, 0, std::string(trim_right(line.text)), false);
    return true;
  }

  static bool starts_box(std::string_view line) {
    const std::string_view text = trim(line);
    return text.starts_with("╭") || text.starts_with("╰") || text.starts_with("+-");
  }

  bool is_exception_here(const Line& line) const {
    const auto exception = exception_line(line.text);
    if (!exception || (!has_head_ && exception->type.ends_with("Warning"))) return false;
    if (!announced_.empty()) {
      if (exception->type == announced_ || last_name(exception->type) == last_name(announced_)) return true;
    }
    const std::size_t indent = indentation(line.text);
    if (exception->certain) return indent <= frame_indentation_ || layout_ != Layout::python || open_->frames.empty();
    if (open_->frames.empty() || is_keyword(exception->type)) return false;
    const bool dotted = contains(exception->type, ".");
    if (layout_ == Layout::pytest) return dotted && indent == 0 && !exception->message.empty();
    const bool capital = last_name(exception->type).front() >= 'A' && last_name(exception->type).front() <= 'Z';
    if (layout_ == Layout::python) return indent < frame_indentation_ && (dotted || capital);
    return indent == 0 && capital && announced_.empty();
  }

  void complete(const Line& line, const ExceptionLine& exception) {
    close_frame();
    open_->type = exception.type;
    open_->message = exception.message;
    open_->clean_begin = line.begin + indentation(line.text);
    open_->clean_end = line.begin + trim_right(line.text).size();
    finish(open_->clean_end);
    message_open_ = true;
    message_index_ = index_;
    message_lines_ = 1;
    blanks_ = 0;
    frame_indentation_ = 0;
  }

  // --- messages -----------------------------------------------------------------------------------------------------

  bool ends_here(const Line& line) {
    if (trim(line.text).empty()) return false;  // decided by what follows
    const Raised& raised = chain_.raised.back();
    const std::string_view so_far = trim(raised.message);
    if (blanks_ > 0 && !so_far.empty() && (so_far.back() != ':' || blanks_ > 1)) return true;
    if (message_lines_ >= kLongestMessageLines || ends_message(line.text)) return true;
    const auto exception = exception_line(line.text);
    // A message may quote another exception; one that stands apart from a traceback is rather the next of several.
    const bool apart = raised.frames.empty() || blanks_ > 0;
    return (apart && exception && exception->certain && indentation(line.text) == 0) ||
           frame_line(line.text).has_value();
  }

  void extend_message(const Line& line) {
    if (trim(line.text).empty()) {
      ++blanks_;
      return;
    }
    Raised& raised = chain_.raised.back();
    for (; blanks_ >= 0; --blanks_) raised.message += '\n';
    blanks_ = 0;
    raised.message += trim_right(line.text);
    raised.clean_end = line.begin + trim_right(line.text).size();
    message_index_ = index_;
    ++message_lines_;
  }

  void close_message() {
    if (!message_open_) return;
    message_open_ = false;
    Raised& raised = chain_.raised.back();
    raised.where.end = std::max(raised.where.end, clean_.origin(raised.clean_begin, raised.clean_end).end);
  }

  // --- lines outside of any traceback -------------------------------------------------------------------------------

  bool read_outside(const Line& line) {
    close_message();
    if (trim(line.text).empty()) return false;
    if (is_rule(line.text)) {
      loose_.clear();
      return true;
    }
    if (const auto exception = exception_line(line.text);
        exception && exception->certain && indentation(line.text) < 4 && stands_alone(*exception)) {
      if (!joined_ && !in_group_) close_chain();
      auto loose = std::move(loose_);
      start(line);
      loose_ = std::move(loose);
      complete(line, *exception);
      return true;
    }
    if (is_fatal_error_line(line.text)) {
      read_fatal_error(line);
      return true;
    }
    return false;
  }

  // A class name alone on a line may be a heading or a word of prose.
  static bool stands_alone(const ExceptionLine& exception) {
    if (exception.type.ends_with("Warning")) return false;  // shown, not raised
    if (!trim(exception.message).empty() || contains(exception.type, ".")) return true;
    return exception.type.ends_with("Error") || exception.type.ends_with("Interrupt");
  }

  void read_fatal_error(const Line& line) {
    close_chain();
    FatalError fatal = matchers::read_fatal_error(clean_, lines_, index_);
    start(line);
    open_->message = line.text;
    open_->clean_begin = line.begin;
    open_->clean_end = line.end;
    open_->frames = std::move(fatal.frames);
    finish(fatal.end);
    close_chain();
    index_ = fatal.last_line;
  }

  void keep_loose(const Line& line) {
    if (loose_.empty() && trim(line.text).empty()) return;
    loose_.push_back(index_);
    if (loose_.size() > kLooseLines) loose_.pop_front();
  }

  const CleanText& clean_;
  std::vector<Line> lines_;
  std::size_t index_ = 0;

  std::vector<Chain> chains_;
  Chain chain_;
  bool joined_ = false;          // a connective was read: the next exception continues the chain
  bool frames_of_last_ = false;  // the frames being read stand below the message that they belong to
  bool in_group_ = false;        // members of an exception group continue the chain without a connective

  std::optional<Raised> open_;
  std::string_view announced_;
  Line head_line_;
  bool has_head_ = false;
  bool gap_ = false;
  int prose_ = 0;
  std::size_t block_begin_ = 0;
  std::size_t frame_begin_ = 0;
  std::size_t frames_end_ = 0;
  std::size_t frame_indentation_ = 0;
  bool frame_open_ = false;
  Layout layout_ = Layout::python;

  bool message_open_ = false;
  std::size_t message_lines_ = 0;
  std::size_t message_index_ = 0;  // the last line of the last message
  int blanks_ = 0;

  std::deque<std::size_t> loose_;  // lines that belong to nothing yet: pytest shows source before its place
};

}  // namespace

std::vector<Chain> read_tracebacks(const CleanText& clean) { return Reader(clean).read(); }

}  // namespace whyfail::matchers
