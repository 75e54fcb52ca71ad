// Takes white space and quotes out of a text and remembers where everything stood.
#include "matchers/squeezed.h"

#include <array>

namespace whyfail::matchers {
namespace {

enum class Ascii : std::uint8_t { keep, drop };

constexpr std::array<Ascii, 128> make_ascii_table() {
  std::array<Ascii, 128> table{};
  for (const char sign : {'\t', '\n', '\v', '\f', '\r', ' ', '\'', '"', '`'}) {
    table[static_cast<std::size_t>(sign)] = Ascii::drop;
  }
  return table;
}
constexpr std::array<Ascii, 128> ascii_table = make_ascii_table();

// One byte each of printable ASCII, to hand out views of full-width signs.
constexpr std::array<char, 128> make_identity() {
  std::array<char, 128> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<char>(i);
  return table;
}
constexpr std::array<char, 128> identity = make_identity();

// What JSON and Markdown write a backslash before.
constexpr std::string_view escapable = "\"'`_*[]()<>#~|";

bool is_dropped(std::uint32_t sign) {
  if (sign >= 0x2000 && sign <= 0x200f) return true;  // blanks of all widths, zero width, directions
  if (sign >= 0x2018 && sign <= 0x201f) return true;  // curly quotes
  if (sign >= 0x2028 && sign <= 0x202f) return true;  // separators, embeddings, narrow blank
  if (sign >= 0x2060 && sign <= 0x2064) return true;  // word joiner and invisible signs
  switch (sign) {
    case 0x85:
    case 0xa0:    // no-break blank
    case 0xab:    // «
    case 0xad:    // soft hyphen
    case 0xb4:    // ´
    case 0xbb:    // »
    case 0x2032:  // ′
    case 0x2033:  // ″
    case 0x2039:  // ‹
    case 0x203a:  // ›
    case 0x205f:
    case 0x3000:  // ideographic blank
    case 0xfeff:  // byte order mark
    case 0xff02:  // full-width "
    case 0xff07:  // full-width '
    case 0xff40:  // full-width `
      return true;
    default:
      return false;
  }
}

bool is_dash(std::uint32_t sign) { return (sign >= 0x2010 && sign <= 0x2015) || sign == 0x2212 || sign == 0xfe58; }

SqueezedSign squeeze_wide(std::string_view text, std::size_t position) {
  const auto lead = static_cast<unsigned char>(text[position]);
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  if (length == 1 || position + length > text.size()) return {1, text.substr(position, 1)};
  std::uint32_t sign = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) sign = sign << 6U | (static_cast<unsigned char>(text[position + i]) & 0x3fU);
  if (is_dropped(sign)) return {length, {}};
  if (is_dash(sign)) return {length, "-"};
  if (sign == 0x2026) return {length, "..."};
  if (sign > 0xff00 && sign < 0xff5f) return {length, std::string_view(&identity[sign - 0xfee0], 1)};
  return {length, text.substr(position, length)};
}

}  // namespace

SqueezedSign squeeze_sign(std::string_view text, std::size_t position) {
  const auto byte = static_cast<unsigned char>(text[position]);
  if (byte >= 0x80) return squeeze_wide(text, position);
  if (ascii_table[byte] == Ascii::drop) return {1, {}};
  if (byte == '\\' && position + 1 < text.size() && escapable.find(text[position + 1]) != std::string_view::npos) {
    return {1, {}};
  }
  return {1, text.substr(position, 1)};
}

Squeezed::Squeezed(std::string_view text, std::size_t begin, std::size_t end) : begin_(begin) {
  const std::string_view part = text.substr(0, end);
  squeezed_.reserve(end - begin);
  origins_.reserve(end - begin);
  lengths_.reserve(end - begin);
  for (std::size_t position = begin; position < part.size();) {
    const SqueezedSign sign = squeeze_sign(part, position);
    for (const char byte : sign.becomes) {
      squeezed_.push_back(byte);
      origins_.push_back(static_cast<std::uint32_t>(position - begin));
      lengths_.push_back(static_cast<std::uint8_t>(sign.length));
    }
    position += sign.length;
  }
}

std::size_t Squeezed::origin(std::size_t squeezed) const {
  if (squeezed < origins_.size()) return begin_ + origins_[squeezed];
  return origins_.empty() ? begin_ : origin_end(origins_.size() - 1);
}

std::size_t Squeezed::origin_end(std::size_t squeezed) const {
  return begin_ + origins_[squeezed] + lengths_[squeezed];
}

std::string squeeze(std::string_view text) { return Squeezed(text).text(); }

}  // namespace whyfail::matchers
