// Budget strings ("10GiB", "1.5gb") as accelerate reads them: accelerate/utils/modeling.py convert_file_size_to_int.
#include "fixer/placement/size_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "fixer/placement/budgets.h"

namespace whyfail::fixer {

namespace {

struct Unit {
  std::string_view suffix;
  double bytes;
};
// Binary units are tried before decimal ones, as in the library.
constexpr std::array<Unit, 6> kUnits = {
    {{"GIB", 1073741824.0}, {"MIB", 1048576.0}, {"KIB", 1024.0}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}}};

bool ends_with_ignoring_case(std::string_view text, std::string_view upper) {
  if (text.size() < upper.size()) return false;
  text.remove_prefix(text.size() - upper.size());
  for (std::size_t i = 0; i < upper.size(); ++i) {
    const char c = text[i] >= 'a' && text[i] <= 'z' ? static_cast<char>(text[i] - 'a' + 'A') : text[i];
    if (c != upper[i]) return false;
  }
  return true;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Zeros of the scripts' decimal digits outside ASCII (Unicode category Nd, basic plane): Python reads them as digits.
constexpr std::array<char32_t, 36> kZeros = {0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6,
                                             0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090,
                                             0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40,
                                             0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10};

bool is_wide_blank(char32_t c) {
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

// The ASCII character that Python's number readers take `c` for; "?" if it is none.
char ascii_of(char32_t c) {
  if (c < 0x80) return static_cast<char>(c);
  if (is_wide_blank(c)) return ' ';
  for (const char32_t zero : kZeros) {
    if (c >= zero && c < zero + 10) return static_cast<char>('0' + (c - zero));
  }
  return '?';
}

// UTF-8 to what Python's number readers see, one character for each code point, blanks at the ends removed.
std::string number_text(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t c = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t k = 1; k < length && i + k < text.size(); ++k) {
      c = (c << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    }
    plain += ascii_of(c);
    i += length;
  }
  const std::string_view blanks = " \t\n\r\f\v\x1c\x1d\x1e\x1f";
  const std::size_t first = plain.find_first_not_of(blanks);
  if (first == std::string::npos) return {};
  return plain.substr(first, plain.find_last_not_of(blanks) - first + 1);
}

// Reads digits with single underscores between them into `out`; false when there is none or an underscore is astray.
bool take_digits(std::string_view& text, std::string& out) {
  bool digit_before = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      out += text[i];
      digit_before = true;
    } else if (text[i] == '_' && digit_before && i + 1 < text.size() && is_digit(text[i + 1])) {
      digit_before = false;
    } else {
      break;
    }
  }
  text.remove_prefix(i);
  return i > 0;
}

bool take_sign(std::string_view& text) {
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return false;
  const bool negative = text.front() == '-';
  text.remove_prefix(1);
  return negative;
}

// Python's float(text); nothing where it raises ValueError.
std::optional<double> python_float(std::string_view written) {
  const std::string readable = number_text(written);
  std::string_view text = readable;
  const bool negative = take_sign(text);
  for (const std::string_view word : {"INF", "INFINITY", "NAN"}) {
    if (text.size() == word.size() && ends_with_ignoring_case(text, word)) {
      const double value =
          word == "NAN" ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
      return negative ? -value : value;
    }
  }
  std::string plain;
  const bool before = take_digits(text, plain);
  bool after = false;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    plain += '.';
    after = take_digits(text, plain);
  }
  if (!before && !after) return std::nullopt;
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    text.remove_prefix(1);
    plain += take_sign(text) ? "e-" : "e";
    if (!take_digits(text, plain)) return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error == std::errc::result_out_of_range) {
    // from_chars does not say in which direction; an exponent with a minus leads to zero
    value = plain.find("e-") == std::string::npos ? std::numeric_limits<double>::infinity() : 0.0;
  } else if (error != std::errc()) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

// Python's int(text); nothing where it raises ValueError.
std::optional<double> python_int(std::string_view written) {
  const std::string readable = number_text(written);
  std::string_view text = readable;
  const bool negative = take_sign(text);
  std::string plain;
  if (!take_digits(text, plain) || !text.empty()) return std::nullopt;
  double value = 0;
  if (std::from_chars(plain.data(), plain.data() + plain.size(), value).ec != std::errc()) return std::nullopt;
  return negative ? -value : value;
}

std::string quoted(std::string_view text) {
  const char quote = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
  return quote + std::string(text) + quote;
}

LibraryError bad_size(const std::string& text, const Rules& rules) {
  if (rules.whole_number_sizes) {
    return library_error("ValueError",
                         "`size` is not in a valid format. Use an integer followed by the unit, e.g., '5GB'.");
  }
  return library_error("ValueError", "`size` " + text +
                                         " is not in a valid format. Use an integer for bytes, or a string with an "
                                         "unit (like '5.0GB').");
}

OrError<Amount> scaled(const std::string& text, std::string_view prefix, double unit, const Rules& rules) {
  if (rules.whole_number_sizes) {
    const std::optional<double> value = python_int(prefix);
    if (value) return Amount{*value * unit, true};
    return library_error("ValueError", "invalid literal for int() with base 10: " + quoted(prefix));
  }
  const std::optional<double> value = python_float(prefix);
  if (!value || std::isnan(*value)) return bad_size(text, rules);
  const double bytes = *value * unit;
  if (std::isinf(bytes)) return library_error("OverflowError", "cannot convert float infinity to integer");
  return Amount{std::trunc(bytes), true};
}

}  // namespace

OrError<Amount> size_of_text(const std::string& text, const Rules& rules) {
  Amount amount{rules.zero_size_refused ? 0.0 : -1.0, true};
  bool unit_found = false;
  for (const Unit& unit : kUnits) {
    if (!ends_with_ignoring_case(text, unit.suffix)) continue;
    OrError<Amount> read =
        scaled(text, std::string_view(text).substr(0, text.size() - unit.suffix.size()), unit.bytes, rules);
    if (std::holds_alternative<LibraryError>(read)) return read;
    amount = std::get<Amount>(read);
    // A lower-case b at the end means bits, for decimal units only.
    if (unit.suffix.size() == 2 && text.back() == 'b') amount.bytes = std::floor(amount.bytes / 8);
    unit_found = true;
    break;
  }
  if (rules.whole_number_sizes) {
    if (!unit_found) return bad_size(text, rules);
    return amount;
  }
  if (amount.bytes < 0 || (rules.zero_size_refused && amount.bytes == 0)) return bad_size(text, rules);
  return amount;
}

std::variant<std::uint64_t, LibraryError> budget_bytes(const std::string& text, const Rules& rules) {
  const OrError<Amount> read = size_of_text(text, rules);
  if (const LibraryError* error = std::get_if<LibraryError>(&read)) return *error;
  const double bytes = std::get<Amount>(read).bytes;
  if (bytes <= 0) return std::uint64_t{0};
  if (bytes >= 18446744073709551615.0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace whyfail::fixer
