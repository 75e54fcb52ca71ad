// A release number of a Python package, and ranges of them. Comparing releases is allowed here and in
// fixer/placement/rules.cc, nowhere else.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace whyfail::kb {

// "4.44.2", "5.0.0rc1" (a pre-release or local part is dropped: it behaves as the release it leads to). Missing parts
// are 0.
struct Release {
  int major = 0;
  int minor = 0;
  int patch = 0;

  static std::optional<Release> parse(std::string_view text);
  std::string text() const;  // "4.44.2"
  auto operator<=>(const Release&) const = default;
};

// First and last release, both included.
struct ReleaseRange {
  Release first;
  Release last;

  bool contains(const Release& release) const { return first <= release && release <= last; }
  bool operator==(const ReleaseRange&) const = default;
};

}  // namespace whyfail::kb
