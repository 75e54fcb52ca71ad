// Runs the small expressions of pattern.nearby over plain text.
#include "matchers/nearby.h"

#include <re2/re2.h>

#include <optional>
#include <string_view>

namespace whyfail::matchers {
namespace {

// So much text before the message is searched.
constexpr std::size_t reach = 64 * 1024;

RE2::Options plain_options() {
  RE2::Options options(RE2::Latin1);
  options.set_log_errors(false);
  return options;
}

std::optional<std::string> in_frames(const RE2& expression, const Raised& raised) {
  for (const Frame& frame : raised.frames) {
    std::string source;
    for (const SourceLine& line : frame.source) source += line.text + "\n";
    std::string value;
    if (RE2::PartialMatch(source, expression, &value)) return value;
  }
  return std::nullopt;
}

std::optional<std::string> before(const RE2& expression, std::string_view text) {
  re2::StringPiece rest(text.data(), text.size());
  std::optional<std::string> last;
  for (std::string value; RE2::FindAndConsume(&rest, expression, &value);) last = value;
  return last;
}

}  // namespace

void read_nearby(const Pattern& pattern, const CleanText& clean, const Raised* raised, std::size_t message,
                 std::map<std::string, std::string>& captures) {
  for (const auto& [name, source] : pattern.nearby) {
    const RE2 expression(source, plain_options());
    if (!expression.ok() || expression.NumberOfCapturingGroups() != 1) continue;
    const std::size_t begin = message > reach ? message - reach : 0;
    std::optional<std::string> value;
    if (raised != nullptr) value = in_frames(expression, *raised);
    if (!value) value = before(expression, std::string_view(clean.text()).substr(begin, message - begin));
    if (value) captures.emplace(name, std::move(*value));
  }
}

}  // namespace whyfail::matchers
