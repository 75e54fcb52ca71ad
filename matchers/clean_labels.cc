// Reports that name an exception and its message in two labelled lines ("Exception Type: …", "Exception Message: …")
// get the line that Python would print.
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

constexpr std::array<std::string_view, 5> kTypeLabels = {"exception type", "error type", "exception class",
                                                         "error class", "exception name"};
constexpr std::array<std::string_view, 5> kMessageLabels = {"exception message", "exception value", "error message",
                                                            "message", "value"};
// The message stands at most so many lines behind the type.
constexpr std::size_t kFurthestMessage = 3;
constexpr std::size_t kLongestLabel = 40;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_decoration(char c) { return is_blank(c) || c == '*' || c == '-' || c == '#' || c == '_' || c == '|'; }

// "- **Exception Type:** ValueError": where the value begins, if the label is one of `labels`.
std::optional<std::size_t> value_begin(std::string_view line, const std::array<std::string_view, 5>& labels) {
  std::size_t begin = 0;
  while (begin < line.size() && is_decoration(line[begin])) ++begin;
  const std::size_t colon = line.substr(0, begin + kLongestLabel).find(':', begin);
  if (colon == std::string_view::npos) return std::nullopt;
  std::size_t end = colon;
  while (end > begin && is_decoration(line[end - 1])) --end;
  std::string label;
  for (const char c : line.substr(begin, end - begin)) label += lower(c);
  for (const std::string_view known : labels) {
    if (label != known) continue;
    std::size_t value = colon + 1;
    while (value < line.size() && (is_blank(line[value]) || line[value] == '*' || line[value] == '|')) ++value;
    return value;
  }
  return std::nullopt;
}

// The class in "ValueError", "builtins.ValueError", "ValueError at /path".
std::string_view class_in(std::string_view value) {
  const std::string_view name = trim(value.substr(0, value.find(' ')));
  const auto exception = exception_line(name);
  return exception && exception->certain ? name : std::string_view{};
}

}  // namespace

CleanText with_labelled_exceptions(CleanText text) {
  if (text.text().find("xception") == std::string::npos && text.text().find("rror ") == std::string::npos) return text;
  const std::vector<Line> lines = lines_of(text.text());
  CleanText out;
  std::size_t kept = 0;
  for (std::size_t index = 0; index + 1 < lines.size(); ++index) {
    const auto type = value_begin(lines[index].text, kTypeLabels);
    const std::string_view name = type ? class_in(lines[index].text.substr(*type)) : std::string_view{};
    if (name.empty()) continue;
    for (std::size_t next = index + 1; next < lines.size() && next <= index + kFurthestMessage; ++next) {
      const auto message = value_begin(lines[next].text, kMessageLabels);
      if (!message) continue;
      out.take(text, kept, lines[index].begin);
      out.replace(std::string(name) + ": ", text, lines[index].begin, lines[next].begin + *message);
      kept = lines[next].begin + *message;
      index = next;
      break;
    }
  }
  if (kept == 0) return text;
  out.take(text, kept, text.text().size());
  out.take_lines(text);
  return out;
}

}  // namespace whyfail::matchers
