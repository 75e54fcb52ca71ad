// Compares the name that is missing with the line that failed before.
#include "matchers/consequence.h"

#include <string>
#include <string_view>

namespace whyfail::matchers {
namespace {

// x of "name 'x' is not defined"; empty: another message.
std::string_view missing_name(const Raised& raised) {
  constexpr std::string_view before = "name '";
  constexpr std::string_view after = "' is not defined";
  const std::string_view message = raised.message;
  if (raised.type != "NameError" || message.substr(0, before.size()) != before) return {};
  const std::size_t end = message.find(after, before.size());
  return end == std::string_view::npos ? std::string_view() : message.substr(before.size(), end - before.size());
}

// "x = …" or "x=…", but not "x == …".
bool sets(std::string_view line, std::string_view name) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos || line.substr(begin, name.size()) != name) return false;
  const std::size_t sign = line.find_first_not_of(' ', begin + name.size());
  return sign != std::string_view::npos && line[sign] == '=' && line.substr(sign, 2) != "==";
}

}  // namespace

bool is_consequence(const Chain& later, const Chain& earlier) {
  if (later.raised.size() != 1) return false;
  const std::string_view name = missing_name(later.raised.front());
  if (name.empty()) return false;
  for (const Raised& raised : earlier.raised) {
    if (raised.frames.empty()) continue;
    for (const SourceLine& line : raised.frames.front().source) {
      if (sets(line.text, name)) return true;
    }
  }
  return false;
}

}  // namespace whyfail::matchers
