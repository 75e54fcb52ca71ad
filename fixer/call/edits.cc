// Applying edits, and telling what changed between two texts.
#include <algorithm>
#include <vector>

#include "fixer/call/changes.h"

namespace whyfail::fixer {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

// One edit for text that differs between `begin` and the ends, its equal beginning and end cut off.
Edit trimmed(std::string_view original, std::size_t begin, std::string_view now) {
  std::size_t front = 0;
  while (front < original.size() && front < now.size() && original[front] == now[front]) ++front;
  std::size_t back = 0;
  while (back + front < original.size() && back + front < now.size() &&
         original[original.size() - 1 - back] == now[now.size() - 1 - back]) {
    ++back;
  }
  return {{begin + front, begin + original.size() - back}, std::string(now.substr(front, now.size() - front - back))};
}

}  // namespace

std::string apply_edits(std::string_view original, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& left, const Edit& right) { return left.range.begin < right.range.begin; });
  std::string changed;
  changed.reserve(original.size() + 64 * edits.size());
  std::size_t kept = 0;
  for (const Edit& edit : edits) {
    const std::size_t begin = std::min(std::max(edit.range.begin, kept), original.size());
    const std::size_t end = std::min(std::max(edit.range.end, begin), original.size());
    changed.append(original, kept, begin - kept);
    changed += edit.text;
    kept = end;
  }
  changed.append(original, kept, std::string_view::npos);
  return changed;
}

std::vector<Edit> edits_between(std::string_view original, std::string_view changed) {
  if (original == changed) return {};
  const auto before = lines_of(original);
  const auto after = lines_of(changed);
  // Lines that each text has once and that keep their order split the texts; a region between two of them is one edit.
  std::vector<Edit> edits;
  std::size_t old_line = 0;
  std::size_t new_line = 0;
  std::size_t old_at = 0;
  std::size_t new_at = 0;
  const auto region = [&](std::size_t old_end, std::size_t new_end) {
    if (old_end > old_at || new_end > new_at) {
      const std::string_view was = original.substr(old_at, old_end - old_at);
      const std::string_view now = changed.substr(new_at, new_end - new_at);
      if (was != now) edits.push_back(trimmed(was, old_at, now));
    }
  };
  while (old_line < before.size() && new_line < after.size()) {
    if (before[old_line] == after[new_line]) {
      old_at += before[old_line++].size();
      new_at += after[new_line++].size();
      continue;
    }
    constexpr std::size_t window = 64;
    std::size_t skip_old = before.size() - old_line;
    std::size_t skip_new = after.size() - new_line;
    std::size_t best = static_cast<std::size_t>(-1);
    for (std::size_t one = 0; one < window && old_line + one < before.size(); ++one) {
      for (std::size_t other = 0; other < window && new_line + other < after.size(); ++other) {
        const bool equal = before[old_line + one] == after[new_line + other] && before[old_line + one].size() > 1;
        if (!equal || one + other >= best) continue;
        best = one + other;
        skip_old = one;
        skip_new = other;
      }
    }
    std::size_t old_end = old_at;
    std::size_t new_end = new_at;
    for (; skip_old > 0; --skip_old) old_end += before[old_line++].size();
    for (; skip_new > 0; --skip_new) new_end += after[new_line++].size();
    region(old_end, new_end);
    old_at = old_end;
    new_at = new_end;
  }
  region(original.size(), changed.size());
  return edits;
}

}  // namespace whyfail::fixer
