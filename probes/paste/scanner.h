// Reads a line from left to right. Every step is linear and fails without moving.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace whyfail::probes::paste {

class Scanner {
 public:
  explicit Scanner(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  std::size_t at() const { return at_; }
  bool at_end() const { return at_ >= text_.size(); }
  std::string_view rest() const { return text_.substr(at_); }
  char next() const { return at_end() ? '\0' : text_[at_]; }

  void skip_blanks();  // also no-break spaces
  bool take(std::string_view literal);
  bool take_any_case(std::string_view literal);
  // Up to the first byte of `stops`, or to the end.
  std::string_view take_until(std::string_view stops);
  std::optional<std::uint64_t> take_integer();
  // Digits, perhaps with a fraction after "." or ",": "7.7", "31,9", "24". As text with a point.
  std::optional<std::string> take_decimal();
  // Digits in groups as Windows prints them in several languages: "15,742", "15.742", "15 742".
  std::optional<std::uint64_t> take_grouped();
  // A decimal and a unit of bytes: "24GB", "24 ГБ", "23Gi", "15742 MB", "16G"; GB is 2^30. A lone number is none.
  std::optional<std::uint64_t> take_size();

 private:
  std::string_view text_;
  std::size_t at_;
};

// Bytes of a unit in the scripts that tools print it in: "MB", "MiB", "Mo", "МБ", "G", "Gi"; GB is 2^30.
// `length`: bytes of text that the unit takes.
std::optional<std::uint64_t> printed_unit(std::string_view text, std::size_t& length);

}  // namespace whyfail::probes::paste
