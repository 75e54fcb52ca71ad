// Common lines at both ends are set aside; the middle is compared by longest common subsequence.
#include "cli/unified_diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace whyfail::cli {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t context = 3;
constexpr std::size_t most_compared = 2000;  // lines of a middle; a larger one is replaced whole

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

// ' ' kept, '-' only before, '+' only after.
struct Step {
  char kind;
  std::string_view line;
};

void compare_middle(const Lines& before, const Lines& after, std::vector<Step>& steps) {
  const std::size_t rows = before.size();
  const std::size_t columns = after.size();
  if (rows > most_compared || columns > most_compared) {
    for (const auto line : before) steps.push_back({'-', line});
    for (const auto line : after) steps.push_back({'+', line});
    return;
  }
  std::vector<std::vector<std::uint16_t>> common(rows + 1, std::vector<std::uint16_t>(columns + 1, 0));
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      common[i][j] = before[i] == after[j] ? static_cast<std::uint16_t>(common[i + 1][j + 1] + 1)
                                           : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && before[i] == after[j]) {
      steps.push_back({' ', before[i++]});
      ++j;
    } else if (i < rows && (j == columns || common[i + 1][j] >= common[i][j + 1])) {
      steps.push_back({'-', before[i++]});
    } else {
      steps.push_back({'+', after[j++]});
    }
  }
}

std::vector<Step> steps_between(const Lines& before, const Lines& after) {
  std::size_t head = 0;
  const std::size_t shorter = std::min(before.size(), after.size());
  while (head < shorter && before[head] == after[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  std::vector<Step> steps;
  for (std::size_t i = 0; i < head; ++i) steps.push_back({' ', before[i]});
  const auto middle = [&](const Lines& lines) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(head), lines.end() - static_cast<std::ptrdiff_t>(tail));
  };
  compare_middle(middle(before), middle(after), steps);
  for (std::size_t i = before.size() - tail; i < before.size(); ++i) steps.push_back({' ', before[i]});
  return steps;
}

std::string range_text(std::size_t first, std::size_t count) {
  return std::to_string(count == 0 ? first - 1 : first) + (count == 1 ? "" : "," + std::to_string(count));
}

// Steps [begin, end) as one hunk; `before` and `after` are the numbers of its first lines.
std::string hunk(const std::vector<Step>& steps, std::size_t begin, std::size_t end, std::size_t before,
                 std::size_t after) {
  std::size_t old_lines = 0;
  std::size_t new_lines = 0;
  std::string body;
  for (std::size_t i = begin; i < end; ++i) {
    if (steps[i].kind != '+') ++old_lines;
    if (steps[i].kind != '-') ++new_lines;
    body.append(1, steps[i].kind).append(steps[i].line);
    if (steps[i].line.back() != '\n') body += "\n\\ No newline at end of file\n";
  }
  return "@@ -" + range_text(before, old_lines) + " +" + range_text(after, new_lines) + " @@\n" + body;
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, const std::string& name) {
  if (before == after) return {};
  const std::vector<Step> steps = steps_between(lines_of(before), lines_of(after));
  std::string diff = "--- a/" + name + "\n+++ b/" + name + "\n";
  std::size_t old_line = 1;
  std::size_t new_line = 1;
  std::size_t at = 0;
  const auto pass = [&](std::size_t until) {
    for (; at < until; ++at) {
      if (steps[at].kind != '+') ++old_line;
      if (steps[at].kind != '-') ++new_line;
    }
  };
  while (at < steps.size()) {
    std::size_t changed = at;
    while (changed < steps.size() && steps[changed].kind == ' ') ++changed;
    if (changed == steps.size()) break;
    pass(changed - std::min(context, changed - at));
    std::size_t end = changed + 1;  // one past the last change that is near
    for (std::size_t i = end; i < steps.size() && i <= end + 2 * context; ++i) {
      if (steps[i].kind != ' ') end = i + 1;
    }
    const std::size_t stop = std::min(end + context, steps.size());
    diff += hunk(steps, at, stop, old_line, new_line);
    pass(stop);
  }
  return diff;
}

}  // namespace whyfail::cli
