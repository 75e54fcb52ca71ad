// The cheap first filter over a large input. Three bytes of each landmark are looked up in tables, sixteen or
// thirty-two places at a time where the processor can; only a place that has all three is read closely.
#include "matchers/landmarks.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "matchers/text_lines.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace whyfail::matchers {
namespace {

// Three bytes of each landmark that ordinary log text seldom has side by side, how far into the landmark they stand,
// and the landmark itself.
struct Landmark {
  std::string_view bytes;
  std::size_t before;
  std::string_view whole;
  bool names_class = false;  // what stands before and after it has to be that of a class name
};
constexpr std::array<Landmark, 12> kLandmarks = {{
    {"k (", 8, "Traceback (most recent call"},
    {"Err", 0, "Error", true},
    {"Exc", 0, "Exception", true},
    {"Kil", 0, "Killed"},
    {"Seg", 0, "Segmentation fault"},
    {"GKI", 2, "SIGKILL"},
    {"Fat", 0, "Fatal Python error"},
    {"Win", 0, "Windows fatal exception"},
    {"A-S", 5, "NVIDIA-SMI "},
    {"s` ", 11, "transformers` version"},
    {"f m", 4, "ut of memory"},
    {"F M", 4, "UT OF MEMORY"},
}};

// Landmarks share eight bits, one a group of those that look alike.
constexpr std::uint8_t bit_of(std::size_t landmark) { return static_cast<std::uint8_t>(1U << (landmark % 8)); }

using Table = std::array<std::uint8_t, 256>;
constexpr Table table_of(std::size_t place) {
  Table table{};
  for (std::size_t index = 0; index < kLandmarks.size(); ++index) {
    std::uint8_t& entry = table[static_cast<unsigned char>(kLandmarks[index].bytes[place])];
    entry = static_cast<std::uint8_t>(entry | bit_of(index));
  }
  return table;
}
constexpr std::array<Table, 3> kTables = {table_of(0), table_of(1), table_of(2)};

bool ends_name(std::string_view bytes, std::size_t at) {
  constexpr std::string_view kEnds = ":\x1b\\^\n\r[";
  return at < bytes.size() && kEnds.find(bytes[at]) != std::string_view::npos;
}

bool is_landmark(std::string_view bytes, std::size_t at) {
  return std::any_of(kLandmarks.begin(), kLandmarks.end(), [&](const Landmark& landmark) {
    if (at < landmark.before || !bytes.substr(at).starts_with(landmark.bytes)) return false;
    const std::size_t begin = at - landmark.before;
    if (!bytes.substr(begin).starts_with(landmark.whole)) return false;
    if (!landmark.names_class) return true;
    const bool named = landmark.whole == "Exception" || (begin > 0 && is_identifier(bytes[begin - 1]));
    return named && ends_name(bytes, begin + landmark.whole.size());
  });
}

class Search {
 public:
  Search(std::string_view bytes, std::vector<std::size_t>& positions) : bytes_(bytes), positions_(positions) {}

  void candidate(std::size_t at) {
    if ((kTables[0][byte(at)] & kTables[1][byte(at + 1)] & kTables[2][byte(at + 2)]) == 0) return;
    if (at < next_ || !is_landmark(bytes_, at)) return;
    positions_.push_back(at);
    next_ = at + kApart;
  }

  void plain(std::size_t begin) {
    for (std::size_t at = begin; at + 2 < bytes_.size(); ++at) candidate(at);
  }

#if defined(__x86_64__)
  // The tables by halves of a byte: what both halves allow is a little more than what the byte does.
  __attribute__((target("avx2"))) std::size_t wide() {
    std::array<Halves, 3> halves;
    for (std::size_t place = 0; place < 3; ++place) halves[place] = halves_of(kTables[place]);
    const __m256i low_nibble = _mm256_set1_epi8(0x0F);
    __m256i low[3], high[3];
    for (std::size_t place = 0; place < 3; ++place) {
      low[place] = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(halves[place].low)));
      high[place] = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(halves[place].high)));
    }
    std::size_t at = 0;
    for (; at + 34 <= bytes_.size(); at += 32) {
      __m256i found = _mm256_set1_epi8(-1);
      for (std::size_t place = 0; place < 3; ++place) {
        const __m256i text = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes_.data() + at + place));
        const __m256i by_low = _mm256_shuffle_epi8(low[place], _mm256_and_si256(text, low_nibble));
        const __m256i by_high =
            _mm256_shuffle_epi8(high[place], _mm256_and_si256(_mm256_srli_epi16(text, 4), low_nibble));
        found = _mm256_and_si256(found, _mm256_and_si256(by_low, by_high));
      }
      const auto empty = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(found, _mm256_setzero_si256())));
      for (unsigned hits = ~empty; hits != 0; hits &= hits - 1) {
        candidate(at + static_cast<std::size_t>(__builtin_ctz(hits)));
      }
    }
    return at;
  }
#endif

 private:
  static constexpr std::size_t kApart = 256;

  struct Halves {
    std::uint8_t low[16] = {};
    std::uint8_t high[16] = {};
  };

  static Halves halves_of(const Table& table) {
    Halves halves;
    for (std::size_t value = 0; value < table.size(); ++value) {
      halves.low[value & 15] = static_cast<std::uint8_t>(halves.low[value & 15] | table[value]);
      halves.high[value >> 4] = static_cast<std::uint8_t>(halves.high[value >> 4] | table[value]);
    }
    return halves;
  }

  std::size_t byte(std::size_t at) const { return static_cast<unsigned char>(bytes_[at]); }

  std::string_view bytes_;
  std::vector<std::size_t>& positions_;
  std::size_t next_ = 0;
};

}  // namespace

void find_landmarks(std::string_view bytes, std::vector<std::size_t>& positions) {
  Search search(bytes, positions);
  std::size_t rest = 0;
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  if (wide) rest = search.wide();
#endif
  search.plain(rest);
}

std::size_t count_line_ends(std::string_view bytes) {
  std::size_t count = 0;
  while (!bytes.empty()) {
    const std::size_t part = std::min<std::size_t>(bytes.size(), 255);
    unsigned char inside = 0;
    for (std::size_t index = 0; index < part; ++index) {
      inside = static_cast<unsigned char>(inside + static_cast<unsigned char>(bytes[index] == '\n'));
    }
    count += inside;
    bytes.remove_prefix(part);
  }
  return count;
}

}  // namespace whyfail::matchers
