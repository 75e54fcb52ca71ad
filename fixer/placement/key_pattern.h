// Keys of a device_map that transformers from 5.0 reads as regular expressions with a repetition: "model.layers.*".
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace whyfail::fixer {

// Whether the key repeats characters with "*", "+" or "?" and is otherwise made of plain ones and "."; other operators
// of regular expressions are not read here.
bool repeats_characters(std::string_view key);

// How much of `text` such a key matches from its start, as Python's re.match does; nothing if it does not match, or if
// `steps` ran out, which it counts down.
std::optional<std::size_t> matched_length(std::string_view key, std::string_view text, std::size_t& steps);

}  // namespace whyfail::fixer
