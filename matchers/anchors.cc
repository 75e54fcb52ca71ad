// The anchor filter: a Bloom filter with three bits a hash.
#include "matchers/anchors.h"

#include <array>
#include <cstring>
#include <unordered_map>

namespace whyfail::matchers {
namespace {

// With 30,000 patterns one place in 50,000 is a false alarm, so that an unrelated paste is answered without a query.
constexpr std::size_t filter_bits = std::size_t{1} << 22U;
constexpr std::size_t filter_bytes = filter_bits / 8;
// Keeps hashes of short windows apart from those of long ones.
constexpr std::uint64_t short_seed = 0x9ddfea08eb382d69ULL;

std::uint64_t mixed(std::uint64_t window) {
  window *= 0x9e3779b97f4a7c15ULL;
  window ^= window >> 32U;
  window *= 0xd6e8feb86659fd93ULL;
  return window ^ (window >> 29U);
}

std::uint64_t long_hash(const char* bytes) {
  std::uint64_t window = 0;
  std::memcpy(&window, bytes, kAnchorWindow);
  return mixed(window);
}

std::uint64_t short_hash(const char* bytes) {
  std::uint32_t window = 0;
  std::memcpy(&window, bytes, kShortWindow);
  return mixed(window ^ short_seed);
}

std::array<std::uint64_t, 3> places_of(std::uint64_t hash) {
  return {hash % filter_bits, (hash >> 21U) % filter_bits, (hash >> 42U) % filter_bits};
}

bool bit(std::string_view filter, std::uint64_t index) {
  const unsigned byte = static_cast<unsigned char>(filter[index / 8]);
  return ((byte >> (index % 8)) & 1U) != 0;
}

void set_bit(std::string& filter, std::uint64_t index) {
  const auto byte = static_cast<unsigned char>(filter[index / 8]);
  filter[index / 8] = static_cast<char>(byte | 1U << (index % 8));
}

// Where an anchor may be cut out of a pattern.
std::vector<std::string> anchor_texts(const Pattern& pattern) {
  std::vector<std::string> texts;
  for (const std::string& literal : pattern.literals) {
    if (literal.size() >= kShortWindow) texts.push_back(literal);
  }
  if (!texts.empty() || pattern.exceptions.size() != 1) return texts;
  // The class name stands before the message, and the message begins with its first literal (or is empty).
  std::string text = pattern.exceptions.front();
  if (!pattern.literals.empty() && pattern.expression.substr(0, 1) != "(" && pattern.expression.substr(0, 1) != ".") {
    text += ":" + pattern.literals.front();
  }
  if (text.size() >= kShortWindow) texts.push_back(text);
  return texts;
}

using Counts = std::unordered_map<std::uint64_t, int>;

void count_beginnings(const std::string& text, Counts& counts) {
  if (text.size() < kAnchorWindow) {
    ++counts[anchor_hash(text)];
    return;
  }
  for (std::size_t i = 0; i + kAnchorWindow <= text.size(); ++i) ++counts[long_hash(text.data() + i)];
}

std::string rarest_anchor(const std::vector<std::string>& texts, const Counts& counts) {
  std::string best;
  int best_count = 0;
  const auto consider = [&](std::string anchor) {
    const int count = counts.at(anchor_hash(anchor));
    const bool longer = (anchor.size() >= kAnchorWindow) > (best.size() >= kAnchorWindow);
    const bool shorter = (anchor.size() >= kAnchorWindow) < (best.size() >= kAnchorWindow);
    if (best.empty() || longer ||
        (!shorter && (count < best_count || (count == best_count && anchor.size() > best.size())))) {
      best = std::move(anchor);
      best_count = count;
    }
  };
  for (const std::string& text : texts) {
    if (text.size() < kAnchorWindow) consider(text);
    for (std::size_t i = 0; i + kAnchorWindow <= text.size(); ++i) consider(text.substr(i));
  }
  return best;
}

}  // namespace

std::uint64_t anchor_hash(std::string_view anchor) {
  return anchor.size() >= kAnchorWindow ? long_hash(anchor.data()) : short_hash(anchor.data());
}

std::uint64_t opening_hash(std::string_view text) {
  return mixed(long_hash(text.data()) * 31 + long_hash(text.data() + kAnchorWindow));
}

std::optional<std::uint64_t> opening_hash(const Pattern& pattern) {
  for (const std::string& literal : pattern.literals) {
    if (literal.size() >= kOpeningWindow) return opening_hash(std::string_view(literal));
  }
  return std::nullopt;
}

std::string make_anchor_filter(const std::vector<std::uint64_t>& hashes) {
  std::string filter(filter_bytes, '\0');
  for (const std::uint64_t hash : hashes) {
    for (const std::uint64_t place : places_of(hash)) set_bit(filter, place);
  }
  return filter;
}

bool may_hold(std::string_view filter, std::uint64_t hash) {
  if (!is_anchor_filter(filter)) return false;
  const auto places = places_of(hash);
  return bit(filter, places[0]) && bit(filter, places[1]) && bit(filter, places[2]);
}

bool is_anchor_filter(std::string_view filter) { return filter.size() == filter_bytes; }

std::vector<AnchorHit> find_anchors(std::string_view squeezed, std::size_t begin, std::size_t end,
                                    std::string_view filter) {
  std::vector<AnchorHit> hits;
  if (!is_anchor_filter(filter)) return hits;
  for (std::size_t i = begin; i + kShortWindow <= end; ++i) {
    if (i + kAnchorWindow <= end) {
      const std::uint64_t hash = long_hash(squeezed.data() + i);
      if (may_hold(filter, hash)) hits.push_back({i, hash});
    }
    const std::uint64_t hash = short_hash(squeezed.data() + i);
    if (may_hold(filter, hash)) hits.push_back({i, hash});
  }
  return hits;
}

std::vector<std::size_t> choose_anchors(std::vector<Pattern>& patterns) {
  Counts counts;
  for (const Pattern& pattern : patterns) {
    for (const std::string& text : anchor_texts(pattern)) count_beginnings(text, counts);
  }
  std::vector<std::size_t> without;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const std::vector<std::string> texts = anchor_texts(patterns[i]);
    if (texts.empty()) {
      without.push_back(i);
      continue;
    }
    patterns[i].anchor = rarest_anchor(texts, counts);
  }
  return without;
}

}  // namespace whyfail::matchers
