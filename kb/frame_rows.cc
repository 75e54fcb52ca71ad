// Reads coded rows; every number is checked, for the text may come from a file that somebody else made.
#include "kb/frame_rows.h"

#include <array>

namespace whyfail::kb {
namespace {

constexpr signed char no_digit = -1;

constexpr std::array<signed char, 256> digit_values() {
  std::array<signed char, 256> values{};
  for (auto& value : values) value = no_digit;
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    values[static_cast<unsigned char>(digits[i])] = static_cast<signed char>(i);
  }
  return values;
}

constexpr std::array<signed char, 256> values_of_digits = digit_values();

int digit_of(char c) { return values_of_digits[static_cast<unsigned char>(c)]; }

constexpr unsigned hash_digits = 4;
constexpr unsigned most_number_digits = 6;  // 30 bits

}  // namespace

bool FrameRowReader::read_number(std::uint64_t& number) {
  number = 0;
  for (unsigned i = 0; i < most_number_digits && at_ < coded_.size(); ++i) {
    const int digit = digit_of(coded_[at_++]);
    if (digit == no_digit) return false;
    number |= (static_cast<std::uint64_t>(digit) & 31U) << (5 * i);
    if (digit < 32) return true;
  }
  return false;
}

bool FrameRowReader::read_run(std::size_t& release, FrameRow& row) {
  std::uint64_t skipped = 0;
  std::uint64_t covered = 0;
  std::uint64_t step = 0;
  if (!read_number(skipped) || !read_number(covered) || !read_number(step)) return false;
  const std::uint64_t first = release + skipped;
  const std::uint64_t last = first + covered;
  if (last >= lines_.size()) return false;
  const auto half = static_cast<std::int64_t>(step >> 1U);
  const std::int64_t down = (step & 1U) == 0 ? half : -half - 1;
  for (std::uint64_t i = first; i <= last; ++i) lines_[i] += down;
  row.runs.push_back({first, last});
  release = last + 1;
  return true;
}

bool FrameRowReader::next(FrameRow& row) {
  row.hash = 0;
  row.runs.clear();
  if (damaged_ || at_ >= coded_.size()) return false;
  damaged_ = true;
  for (unsigned i = 0; i < hash_digits; ++i) {
    const int digit = at_ < coded_.size() ? digit_of(coded_[at_++]) : no_digit;
    if (digit == no_digit) return false;
    row.hash = row.hash << 6U | static_cast<std::uint32_t>(digit);
  }
  std::uint64_t runs = 0;
  if (!read_number(runs)) return false;
  std::size_t release = 0;
  for (std::uint64_t i = 0; i < runs; ++i) {
    if (!read_run(release, row)) return false;
  }
  damaged_ = false;
  return true;
}

}  // namespace whyfail::kb
