// The hash by which a source line of a library is known: the first 24 bits of the SHA-1 of the line with its blanks
// collapsed, stripped and cut at 160 characters. A line that a traceback shows can be compared without storing it.
#pragma once

#include <cstdint>
#include <string_view>

namespace whyfail::kb {

std::uint32_t source_hash(std::string_view line);

}  // namespace whyfail::kb
