// Lines, fields and numbers of the small text files that a kernel writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whyfail::probes {

// Lines without their end (\n or \r\n). Views into `text`.
std::vector<std::string_view> lines_of(std::string_view text);
// Fields between runs of blanks and tabs. Views into `line`.
std::vector<std::string_view> fields_of(std::string_view line);
// Parts between single separators, empty ones kept. Views into `text`.
std::vector<std::string_view> split_at(std::string_view text, char separator);
std::string_view trimmed(std::string_view text);
// The whole of `text` as a decimal number below 2^63; none otherwise ("max", "unlimited", "-1").
std::optional<std::uint64_t> number_of(std::string_view text);
std::string lower_case(std::string_view text);

}  // namespace whyfail::probes
