// SHA-1 (FIPS 180-4) of short texts, and the form of a line that is hashed.
#include "kb/source_hash.h"

#include <array>
#include <bit>
#include <cstddef>
#include <string>

namespace whyfail::kb {
namespace {

constexpr std::size_t cut_characters = 160;

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f'); }

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::string hashed_form(std::string_view line) {
  std::string form;
  bool pending = false;
  std::size_t characters = 0;
  for (const char c : line) {
    if (is_blank(c)) {
      pending = !form.empty();
      continue;
    }
    if (pending) {
      if (++characters > cut_characters) return form;
      form += ' ';
      pending = false;
    }
    if (!continues_character(c) && ++characters > cut_characters) return form;
    form += c;
  }
  return form;
}

void mix_block(std::array<std::uint32_t, 5>& state, const unsigned char* block) {
  std::array<std::uint32_t, 80> word{};
  for (std::size_t i = 0; i < 16; ++i) {
    word[i] = std::uint32_t{block[4 * i]} << 24U | std::uint32_t{block[4 * i + 1]} << 16U |
              std::uint32_t{block[4 * i + 2]} << 8U | std::uint32_t{block[4 * i + 3]};
  }
  for (std::size_t i = 16; i < 80; ++i) {
    word[i] = std::rotl(word[i - 3] ^ word[i - 8] ^ word[i - 14] ^ word[i - 16], 1);
  }
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < 80; ++i) {
    std::uint32_t mixed = b ^ c ^ d;
    std::uint32_t constant = i < 40 ? 0x6ED9EBA1U : 0xCA62C1D6U;
    if (i < 20) {
      mixed = (b & c) | (~b & d);
      constant = 0x5A827999U;
    } else if (i >= 40 && i < 60) {
      mixed = (b & c) | (b & d) | (c & d);
      constant = 0x8F1BBCDCU;
    }
    const std::uint32_t next = std::rotl(a, 5) + mixed + e + constant + word[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
}

}  // namespace

std::uint32_t source_hash(std::string_view line) {
  std::string text = hashed_form(line);
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  text += '\x80';
  while (text.size() % 64 != 56) text += '\0';
  for (unsigned shift = 64; shift > 0; shift -= 8) text += static_cast<char>((bits >> (shift - 8)) & 0xFFU);
  std::array<std::uint32_t, 5> state = {0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};
  for (std::size_t at = 0; at < text.size(); at += 64) {
    mix_block(state, reinterpret_cast<const unsigned char*>(text.data()) + at);
  }
  return state[0] >> 8U;
}

}  // namespace whyfail::kb
