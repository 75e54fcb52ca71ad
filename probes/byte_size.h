// Sizes as people and programs write them: "24GiB", "22.5 GiB", "16303MiB", "64GB", "950M", "1024".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace whyfail::probes {

// What one "GB" is. Descriptions and disks count 10^9; people and graphics programs mean 2^30.
enum class Gigabyte { decimal, binary };

// A lone letter ("24G") is always binary, a lone number is bytes. None for anything else, or if it exceeds 2^63.
std::optional<std::uint64_t> byte_size(std::string_view text, Gigabyte gigabyte);
// A number with a decimal point times a unit, rounded down; none if it is negative or too large.
std::optional<std::uint64_t> times_unit(std::string_view number, std::uint64_t unit);
// Bytes of one unit: "MiB", "gb", "K", "B", "kB"; none for anything else.
std::optional<std::uint64_t> unit_size(std::string_view unit, Gigabyte gigabyte);

}  // namespace whyfail::probes
