// Sizes with units.
#include "probes/byte_size.h"

#include <cctype>
#include <string>

namespace whyfail::probes {
namespace {

constexpr std::uint64_t largest = std::uint64_t{1} << 63U;

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

}  // namespace

std::optional<std::uint64_t> unit_size(std::string_view unit, Gigabyte gigabyte) {
  std::string lower;
  for (char letter : unit) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (lower.empty() || lower == "b" || lower == "byte" || lower == "bytes") return 1;
  const std::size_t power = std::string_view("kmgt").find(lower[0]);
  if (power == std::string_view::npos) return std::nullopt;
  const std::string_view rest = std::string_view(lower).substr(1);
  const bool binary = rest == "ib" || rest == "i" || rest.empty() || (rest == "b" && gigabyte == Gigabyte::binary);
  if (!binary && rest != "b") return std::nullopt;
  std::uint64_t size = 1;
  for (std::size_t i = 0; i <= power; ++i) size *= binary ? 1024 : 1000;
  return size;
}

std::optional<std::uint64_t> times_unit(std::string_view number, std::uint64_t unit) {
  const std::size_t point = number.find('.');
  const std::string_view whole = number.substr(0, point);
  const std::string_view fraction = point == std::string_view::npos ? std::string_view() : number.substr(point + 1);
  if (whole.empty() || whole.size() > 19 || fraction.size() > 30) return std::nullopt;
  std::uint64_t count = 0;
  for (char digit : whole) {
    if (!is_digit(digit)) return std::nullopt;
    count = count * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  if (unit != 0 && count > largest / unit) return std::nullopt;
  double part = 0;
  double weight = 0.1;
  for (char digit : fraction) {
    if (!is_digit(digit)) return std::nullopt;
    part += weight * (digit - '0');
    weight /= 10;
  }
  // A double holds the part below one unit (at most 1 TiB) exactly enough: to the byte after rounding.
  return count * unit + static_cast<std::uint64_t>(part * static_cast<double>(unit) + 0.5);
}

std::optional<std::uint64_t> byte_size(std::string_view text, Gigabyte gigabyte) {
  std::size_t end = 0;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  const std::string_view number = text.substr(0, end);
  while (end < text.size() && text[end] == ' ') ++end;
  const auto unit = unit_size(text.substr(end), gigabyte);
  if (number.empty() || !unit) return std::nullopt;
  return times_unit(number, *unit);
}

}  // namespace whyfail::probes
