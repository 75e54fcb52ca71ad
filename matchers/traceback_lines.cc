// What a single line of cleaned text is in a traceback.
#include "matchers/traceback_lines.h"

#include <algorithm>
#include <array>
#include <string>

#include "matchers/text_lines.h"

namespace whyfail::matchers {
namespace {

constexpr std::string_view kHead = "Traceback (most recent call last)";

// The last name of a dotted one.
std::string_view last_name(std::string_view dotted) {
  const std::size_t dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

// A dotted name at the start of `text`, "" if there is none.
std::string_view dotted_name(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (is_identifier(text[end]) || text[end] == '.')) ++end;
  const std::string_view name = text.substr(0, end);
  if (name.empty() || is_digit(name.front()) || name.front() == '.' || name.back() == '.') return {};
  return contains(name, "..") ? std::string_view{} : name;
}

bool certain_exception_name(std::string_view dotted) {
  const std::string_view name = last_name(dotted);
  if (name.size() < dotted.size() && (name == "error" || name == "timeout")) return true;  // re.error, socket.timeout
  if (name.size() < 4 || dotted == "Error" || dotted == "Warning") return false;           // words of log messages
  constexpr std::array<std::string_view, 12> kEndings = {"Error",         "Exception",     "Warning",     "Interrupt",
                                                         "SystemExit",    "StopIteration", "Group",       "Timeout",
                                                         "GeneratorExit", "NotFound",      "Unavailable", "Rejected"};
  const bool dotted_or_capital = dotted.size() > name.size() || (name.front() >= 'A' && name.front() <= 'Z');
  return dotted_or_capital &&
         std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) { return name.ends_with(ending); });
}

// A file's name as frames show it: has a folder, an ending of a Python file, or stands in <>.
bool looks_like_file(std::string_view name) {
  if (name.empty() || name.size() > 1024) return false;
  if (name.front() == '<') return name.back() == '>';
  return name.ends_with(".py") || name.ends_with(".pyx") || name.ends_with(".pyi") || name.ends_with(".pyc") ||
         name.ends_with(".ipynb") || (name.find_first_of("/\\") != std::string_view::npos && !contains(name, "://"));
}

// "name" at the start of `text`: up to a blank or an opening parenthesis outside of <>.
std::string_view function_name(std::string_view text) {
  int angles = 0;
  for (std::size_t index = 0; index < text.size(); ++index) {
    const char c = text[index];
    if (c == '<') ++angles;
    if (c == '>') --angles;
    if (angles <= 0 && (is_blank(c) || c == '(')) return text.substr(0, index);
  }
  return text;
}

// "12, in name" or, as faulthandler prints it, "12 in name".
void read_line_and_name(std::string_view text, FrameLine& frame) {
  std::size_t used = 0;
  frame.line = std::max(0, leading_number(text, used));
  text.remove_prefix(used);
  if (text.starts_with(",")) text.remove_prefix(1);
  if (text.starts_with(" in ")) frame.function = function_name(trim_left(text.substr(4)));
}

// File path, line 12, in name: the quotes were lost, or there never were any (File <command-12>, line 1).
std::optional<FrameLine> unquoted_frame(std::string_view text) {
  const std::size_t line = text.find(", line ");
  if (line == std::string_view::npos || line > 1024 || !looks_like_file(text.substr(5, line - 5))) return std::nullopt;
  FrameLine frame;
  frame.file = text.substr(5, line - 5);
  if (frame.file.front() == '<') frame.layout = Layout::ipython;
  read_line_and_name(text.substr(line + 7), frame);
  return frame.line > 0 ? std::optional(frame) : std::nullopt;
}

// File "path", line 12, in name — also without the name, and "line 12 in name" as faulthandler prints it.
std::optional<FrameLine> python_frame(std::string_view line) {
  std::string_view text = trim(line);
  if (text.starts_with("> ")) text = trim_left(text.substr(2));  // loguru marks the frame that caught
  if (!text.starts_with("File ")) return std::nullopt;
  FrameLine frame;
  const char quote = text.size() > 5 ? text[5] : ' ';
  const bool quoted = quote == '"' || quote == '\'';
  if (!quoted) return unquoted_frame(text);
  const std::size_t close = text.find(std::string{quote} + ", line ", 6);
  if (close == std::string_view::npos) {
    const std::size_t end = text.find(quote, 6);
    if (end == std::string_view::npos || !looks_like_file(text.substr(6, end - 6))) return std::nullopt;
    frame.file = text.substr(6, end - 6);
    return trim(text.substr(end + 1)).size() <= 1 ? std::optional(frame) : std::nullopt;
  }
  frame.file = text.substr(6, close - 6);
  read_line_and_name(text.substr(close + 8), frame);
  return frame;
}

// Cell In[2], line 1 · Cell In [2], line 1, in f(x) · Input In [4], in <cell line: 1>()
std::optional<FrameLine> cell_frame(std::string_view text) {
  if (!text.starts_with("Cell In") && !text.starts_with("Input In")) return std::nullopt;
  const std::size_t close = text.find(']');
  if (close == std::string_view::npos || close > 24) return std::nullopt;
  FrameLine frame;
  frame.layout = Layout::ipython;
  frame.file = text.substr(0, close + 1);
  text.remove_prefix(close + 1);
  if (text.starts_with(", line ")) {
    std::size_t used = 0;
    frame.line = std::max(0, leading_number(text.substr(7), used));
    text.remove_prefix(7 + used);
  }
  if (text.starts_with(", in ")) frame.function = function_name(text.substr(5));
  constexpr std::string_view kCellLine = "<cell line: ";
  if (frame.function.starts_with(kCellLine)) {
    std::size_t used = 0;
    if (frame.line == 0) frame.line = std::max(0, leading_number(frame.function.substr(kCellLine.size()), used));
    frame.function = "<module>";
  }
  if (frame.function.empty() && frame.line == 0 && !trim(text).empty()) return std::nullopt;
  return frame;
}

// File path:12, in name(args) · File path:12
std::optional<FrameLine> file_colon_frame(std::string_view text) {
  if (!text.starts_with("File ") || text.starts_with("File \"")) return std::nullopt;
  text.remove_prefix(5);
  const std::size_t in = text.find(", in ");
  const std::string_view place = text.substr(0, in);
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  FrameLine frame;
  frame.layout = Layout::ipython;
  std::size_t used = 0;
  frame.line = leading_number(place.substr(colon + 1), used);
  if (frame.line < 0 || colon + 1 + used != place.size()) return std::nullopt;
  frame.file = place.substr(0, colon);
  if (!looks_like_file(frame.file)) return std::nullopt;
  if (in != std::string_view::npos) frame.function = function_name(text.substr(in + 5));
  return frame;
}

// <ipython-input-3-0a1b> in <module> · ~/env/lib/x.py in name(args) · /tmp/ipykernel_12/34.py in <module>
std::optional<FrameLine> path_in_frame(std::string_view text) {
  const std::size_t in = text.find(" in ");
  if (in == std::string_view::npos || in == 0 || in > 1024) return std::nullopt;
  FrameLine frame;
  frame.file = text.substr(0, in);
  if (!looks_like_file(frame.file)) return std::nullopt;
  const std::string_view rest = text.substr(in + 4);
  frame.function = function_name(rest);
  if (frame.function.empty()) return std::nullopt;
  const std::size_t colon = frame.file.rfind(':');
  std::size_t used = 0;
  const int number = colon == std::string_view::npos ? -1 : leading_number(frame.file.substr(colon + 1), used);
  if (number >= 0 && colon + 1 + used == frame.file.size()) {
    frame.file = frame.file.substr(0, colon);
    frame.line = number;
    frame.layout = Layout::rich;  // /path/x.py:12 in name
    return looks_like_file(frame.file) && frame.function.size() == rest.size() ? std::optional(frame) : std::nullopt;
  }
  frame.layout = Layout::ipython;
  const bool path_alone = frame.file.find(' ') == std::string_view::npos || contains(frame.file, ":\\");
  const bool shown_as_call = rest.size() > frame.function.size() ? rest.back() == ')' : frame.function == "<module>";
  return path_alone && shown_as_call ? std::optional(frame) : std::nullopt;
}

// path.py:12: ValueError · path.py:12: in name · path.py:12:
std::optional<FrameLine> pytest_frame(std::string_view text) {
  const std::size_t ending = text.find(".py:");
  if (ending == std::string_view::npos || ending > 1024) return std::nullopt;
  FrameLine frame;
  frame.layout = Layout::pytest;
  frame.file = text.substr(0, ending + 3);
  text.remove_prefix(ending + 4);
  std::size_t used = 0;
  frame.line = leading_number(text, used);
  if (frame.line < 0 || used >= text.size() || text[used] != ':') return std::nullopt;
  text = trim(text.substr(used + 1));
  if (text.starts_with("in ")) {
    frame.function = text.substr(3);
    return frame;
  }
  frame.source_stands_before = true;
  frame.type = dotted_name(text);
  return frame.type.size() == text.size() ? std::optional(frame) : std::nullopt;
}

}  // namespace

std::optional<FrameLine> frame_line(std::string_view line) {
  if (line.size() > 16 * 1024) line = line.substr(0, 16 * 1024);
  if (auto frame = python_frame(line)) return frame;
  const std::string_view text = trim(line);
  if (text.empty()) return std::nullopt;
  if (auto frame = cell_frame(text)) return frame;
  if (auto frame = file_colon_frame(text)) return frame;
  if (auto frame = pytest_frame(text)) return frame;
  return path_in_frame(text);
}

std::optional<HeadLine> head_line(std::string_view line) {
  const std::size_t at = line.find(kHead);
  if (at == std::string_view::npos) return std::nullopt;
  HeadLine head;
  head.before = trim(line.substr(0, at));
  head.group = head.before.ends_with("Exception Group");
  const std::string_view name = dotted_name(head.before);
  if (name.size() == head.before.size()) head.type = name;
  return head;
}

Link connective(std::string_view line) {
  if (contains(line, "During handling of the above exception, another exception occurred")) {
    return Link::during_handling;
  }
  if (contains(line, "The above exception was the direct cause of the following exception")) return Link::direct_cause;
  return Link::none;
}

std::optional<ExceptionLine> exception_line(std::string_view line) {
  const std::string_view text = trim(line);
  ExceptionLine exception;
  exception.type = dotted_name(text);
  if (exception.type.empty()) return std::nullopt;
  const std::string_view rest = text.substr(exception.type.size());
  exception.certain = certain_exception_name(exception.type);
  if (rest.empty() || rest == ":") return exception;
  if (!rest.starts_with(": ")) {
    // A blank is lost here and there: "ValueError:The …".
    if (!exception.certain || rest.front() != ':' || rest.size() < 3 || rest[1] == '/') return std::nullopt;
    exception.message = rest.substr(1);
    return exception;
  }
  exception.message = rest.substr(2);
  return exception;
}

std::optional<NumberedLine> numbered_line(std::string_view line, Layout layout) {
  std::string_view text = trim_left(line);
  NumberedLine numbered;
  constexpr std::string_view kRichArrow = "❱";
  if (text.starts_with(kRichArrow)) {
    numbered.arrow = true;
    text.remove_prefix(kRichArrow.size());
  } else {
    std::size_t dashes = 0;
    while (dashes < text.size() && text[dashes] == '-') ++dashes;
    if (dashes > 0 || layout == Layout::rich) {
      if (dashes < text.size() && text[dashes] == '>') {
        numbered.arrow = true;
        text.remove_prefix(dashes + 1);
      } else if (dashes > 0) {
        return std::nullopt;
      }
    }
  }
  text = trim_left(text);
  std::size_t used = 0;
  numbered.number = leading_number(text, used);
  if (numbered.number < 0) return std::nullopt;
  text.remove_prefix(used);
  if (!text.empty() && !is_blank(text.front())) return std::nullopt;
  numbered.code = text.empty() ? text : text.substr(1);
  return numbered;
}

std::string without_guides(std::string_view code) {
  std::string text;
  constexpr std::string_view kGuide = "│";
  while (!code.empty()) {
    if (code.starts_with(kGuide)) {
      text += ' ';
      code.remove_prefix(kGuide.size());
    } else if (is_blank(code.front())) {
      text += code.front();
      code.remove_prefix(1);
    } else {
      break;
    }
  }
  return text += trim_right(code);
}

bool is_keyword(std::string_view word) {
  constexpr std::array<std::string_view, 13> kKeywords = {"else", "try",   "finally", "except", "lambda", "with", "if",
                                                          "for",  "while", "def",     "class",  "return", "pass"};
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

bool is_caret_line(std::string_view line) {
  const std::string_view text = trim(line);
  return !text.empty() && text.find_first_not_of("^~ ") == std::string_view::npos;
}

bool is_value_line(std::string_view line) {
  const std::string_view text = trim_left(line);
  return text.size() < line.size() && (text.starts_with("│") || text.starts_with("└"));
}

bool is_rule(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.size() < 5) return false;
  if (text.find_first_not_of("-=_*# ") == std::string_view::npos) return text.front() == text[2] || text[1] == ' ';
  std::size_t at = 0;
  while (at < text.size() && (text.substr(at).starts_with("─") || text.substr(at).starts_with("━"))) at += 3;
  return at == text.size();
}

bool is_fatal_error_line(std::string_view line) {
  return line.starts_with("Fatal Python error: ") || line.starts_with("Windows fatal exception: ");
}

namespace {

// 2026-11-30 12:42:39 … · [2026-11-30 … · 12:42:39 … · I1130 …: the start of another log record.
bool starts_log_record(std::string_view text) {
  if (text.starts_with("[") || text.starts_with("(")) text.remove_prefix(1);
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  if (digits == 4 && text.size() > 9 && (text[4] == '-' || text[4] == '/') && is_digit(text[5])) return true;
  if (digits == 2 && text.size() > 7 && text[2] == ':' && is_digit(text[3]) && text[5] == ':') return true;
  constexpr std::array<std::string_view, 6> kLevels = {"INFO", "ERROR", "WARNING", "DEBUG", "CRITICAL", "FATAL"};
  return std::any_of(kLevels.begin(), kLevels.end(), [&](std::string_view level) {
    if (!text.starts_with(level)) return false;
    const std::string_view rest = text.substr(level.size());
    return rest.starts_with(":") || rest.starts_with(" ") || rest.starts_with("]");
  });
}

bool is_prompt(std::string_view text) {
  if (text == "$" || text == "#" || text == ">>>" || text.starts_with("$ ") || text.starts_with(">>> ")) return true;
  if (text.starts_with("PS ") && contains(text, ">")) return true;
  if (text.starts_with("In [") || text.starts_with("Out[")) return true;
  if (text.starts_with("(") && text.size() > 3) {  // (base) …
    const std::size_t close = text.find(") ");
    if (close != std::string_view::npos && close < 32) text = text.substr(close + 2);
  }
  const bool drive = text.size() > 3 && is_letter(text[0]) && text[1] == ':' && text[2] == '\\';
  if (drive && contains(text, ">")) return true;
  const std::size_t at = text.find('@');  // user@host:~/project$
  if (at == std::string_view::npos || at > 32 || at == 0) return false;
  const std::size_t end = text.find_first_of("$#", at);
  return end != std::string_view::npos && text.substr(0, at).find(' ') == std::string_view::npos &&
         text.substr(at, end - at).find_first_of(":~") != std::string_view::npos;
}

}  // namespace

bool ends_message(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.empty() || is_rule(text) || text.starts_with("```") || text.starts_with("~~~")) return true;
  if (text.starts_with("+-") || text.starts_with("╭") || text.starts_with("╰") || text == "\"\"\"") return true;
  if (text.starts_with("## ") || text.starts_with("### ")) return true;  // the next heading of a report
  if (text.starts_with("</pre") || text.starts_with("exit code ") || text.starts_with("exit status ")) return true;
  if (starts_log_record(text) || is_prompt(text)) return true;
  constexpr std::array<std::string_view, 6> kTrailers = {"Process finished with exit code",
                                                         "Command exited with",
                                                         "srun: error",
                                                         "Exception ignored in",
                                                         "Process ForkProcess-",
                                                         "The above exception was"};
  return std::any_of(kTrailers.begin(), kTrailers.end(),
                     [&](std::string_view trailer) { return text.starts_with(trailer); });
}

}  // namespace whyfail::matchers
