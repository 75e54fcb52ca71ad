// Compares lines without their indentation: pasting changes it often, and the words of a line rarely.
#include "fixer/call/elsewhere.h"

#include <algorithm>
#include <iterator>

namespace whyfail::fixer {
namespace {

constexpr std::size_t most_places = 8;

// Equal, or the frame's line was cut off at the width of a box.
bool says_the_same(std::string_view outside, std::string_view line) {
  constexpr std::size_t long_enough = 50;
  const std::string_view text = stripped(outside);
  return text == line || (line.size() >= long_enough && text.substr(0, line.size()) == line);
}

bool goes_on_like(const ShownCode& outside, std::size_t index, std::size_t lines, const ShownCode& frame,
                  std::size_t current) {
  for (std::size_t next = 1; next < lines && current + next < frame.lines.size() && frame.numbered[current + next];
       ++next) {
    if (!says_the_same(outside.lines[index + next], stripped(frame.lines[current + next]))) return false;
  }
  return true;
}

std::string_view first_call(const ReadLine& read) {
  const TextRange range = read.calls.front().range;
  return std::string_view(read.script.text()).substr(range.begin, range.end - range.begin);
}

}  // namespace

std::optional<ReadLine> shown_elsewhere(const ShownCode& outside, const ShownCode& frame, std::size_t current) {
  std::optional<ReadLine> found;
  const std::string_view line = stripped(frame.lines[current]);
  std::size_t tried = 0;
  for (std::size_t index = 0; index < outside.lines.size() && tried < most_places; ++index) {
    if (!says_the_same(outside.lines[index], line)) continue;
    ++tried;
    auto read = read_line(outside, index);
    if (!read || !read->whole || read->calls.empty()) continue;
    if (!goes_on_like(outside, index, read->lines, frame, current)) continue;
    if (found && first_call(*found) != first_call(*read)) return std::nullopt;
    found = std::move(read);
  }
  return found;
}

std::optional<Assigned> loaded_elsewhere(const ShownCode& outside, std::string_view line, const std::string& name) {
  std::optional<Assigned> found;
  const auto text = [](const Assigned& one) {
    return std::string_view(one.script.text()).substr(one.call.range.begin, one.call.range.end - one.call.range.begin);
  };
  std::size_t tried = 0;
  for (std::size_t index = 0; index < outside.lines.size() && tried < most_places; ++index) {
    if (!says_the_same(outside.lines[index], line)) continue;
    ++tried;
    auto one = loaded_into(outside, name, index);
    if (one && found && text(*found) != text(*one)) return std::nullopt;
    if (one) found = std::move(one);
  }
  return found;
}

std::vector<std::size_t> prompted_lines(const ShownCode& outside) {
  std::vector<std::size_t> found;
  for (std::size_t index = 0; index < outside.lines.size(); ++index) {
    if (outside.prompted[index] && !stripped(outside.lines[index]).empty()) found.push_back(index);
  }
  return found;
}

std::optional<std::size_t> last_prompted(const ShownCode& outside, const std::vector<std::size_t>& prompted,
                                         std::uint64_t place) {
  const auto behind = std::partition_point(prompted.begin(), prompted.end(),
                                           [&](std::size_t index) { return outside.places[index] < place; });
  if (behind == prompted.begin()) return std::nullopt;
  return *std::prev(behind);
}

}  // namespace whyfail::fixer
