// Reads UTF-8 and folds letters of the Latin and Cyrillic scripts.
#include "kb/code_points.h"

#include <cstddef>

namespace whyfail::kb {
namespace {

constexpr char32_t damaged = 0xFFFD;

// The code point at `at`, which is moved behind it.
char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = static_cast<unsigned char>(text[at++]);
  if (byte < 0x80) return byte;
  const std::size_t more = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : byte >= 0xC2 ? 1 : 0;
  if (more == 0 || byte > 0xF4 || at + more > text.size()) return damaged;
  char32_t sign = byte & (0x3FU >> more);
  for (std::size_t i = 0; i < more; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    if ((next & 0xC0U) != 0x80) return damaged;
    sign = (sign << 6U) | (next & 0x3FU);
  }
  at += more;
  return sign;
}

// U+00C0 to U+00FF without accents; "*": stays as it is.
constexpr std::u32string_view plain_latin = U"aaaaaaaceeeeiiiidnooooo*ouuuuy**aaaaaaaceeeeiiiidnooooo*ouuuuy*y";

char32_t fold(char32_t sign) {
  if (sign >= U'A' && sign <= U'Z') return sign + 0x20;
  if (sign >= 0xC0 && sign <= 0xFF) {
    const char32_t plain = plain_latin[sign - 0xC0];
    return plain == U'*' ? sign : plain;
  }
  if (sign >= 0x410 && sign <= 0x42F) return sign + 0x20;
  if (sign == 0x401 || sign == 0x451) return 0x435;                         // ё is written е as often
  if (sign >= 0xFF01 && sign <= 0xFF5E) return fold(sign - 0xFF01 + U'!');  // full width
  return sign;
}

bool is_blank(char32_t sign) {
  return sign == U' ' || (sign >= U'\t' && sign <= U'\r') || sign == 0xA0 || sign == 0x3000;
}

}  // namespace

std::u32string folded(std::string_view text) {
  std::u32string signs;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t sign = fold(next_code_point(text, at));
    if (!is_blank(sign)) {
      signs.push_back(sign);
    } else if (!signs.empty() && signs.back() != U' ') {
      signs.push_back(U' ');
    }
  }
  return signs;
}

bool is_unspaced(char32_t sign) {
  return (sign >= 0x2E80 && sign <= 0x9FFF && !(sign >= 0x3000 && sign <= 0x3004)) ||
         (sign >= 0xAC00 && sign <= 0xD7FF) || (sign >= 0xF900 && sign <= 0xFAFF) || (sign >= 0xFF66 && sign <= 0xFF9F);
}

bool is_word_sign(char32_t sign) {
  if (sign < 0x80) return (sign >= U'a' && sign <= U'z') || (sign >= U'0' && sign <= U'9') || sign == U'_';
  return (sign >= 0xC0 && sign < 0x2000) && !is_unspaced(sign);
}

}  // namespace whyfail::kb
