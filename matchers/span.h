// A place in the paste as it was given: bytes [begin, end), counted from 0 over the whole input.
#pragma once

#include <cstdint>

namespace whyfail::matchers {

struct Span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool empty() const { return begin >= end; }
  bool operator==(const Span&) const = default;
};

}  // namespace whyfail::matchers
