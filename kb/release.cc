// Reads and writes release numbers.
#include "kb/release.h"

#include <charconv>

namespace whyfail::kb {

std::optional<Release> Release::parse(std::string_view text) {
  Release release;
  int* parts[] = {&release.major, &release.minor, &release.patch};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (int i = 0; i < 3; ++i) {
    const auto [next, error] = std::from_chars(at, end, *parts[i]);
    if (error != std::errc() || *parts[i] < 0) {
      if (i == 0) return std::nullopt;
      *parts[i] = 0;
      break;
    }
    at = next;
    if (at == end || *at != '.') break;
    ++at;
  }
  return release;
}

std::string Release::text() const {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

}  // namespace whyfail::kb
