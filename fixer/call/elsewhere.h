// Finds in the paste's other code what a frame's line only begins: the rest of the statement, or what made its object.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fixer/call/shown_code.h"

namespace whyfail::fixer {

// The statement outside the traceback that says the same as line `current` of a frame, and as the numbered lines after
// it. Several that differ further on: nullopt.
std::optional<ReadLine> shown_elsewhere(const ShownCode& outside, const ShownCode& frame, std::size_t current);

// Where code outside the traceback holds `line`: the loading call that was assigned to `name` above it.
std::optional<Assigned> loaded_elsewhere(const ShownCode& outside, std::string_view line, const std::string& name);

// Lines behind a ">>> " or "In [1]: " that hold anything, and the last of them before byte `place` of the paste.
std::vector<std::size_t> prompted_lines(const ShownCode& outside);
std::optional<std::size_t> last_prompted(const ShownCode& outside, const std::vector<std::size_t>& prompted,
                                         std::uint64_t place);

}  // namespace whyfail::fixer
