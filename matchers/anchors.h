// Which patterns can match at all: literals over the squeezed form, found by hashes of their beginnings.
//
// Every pattern has one anchor, a literal that must be in the text. A bit set of fixed size holds the hashes of the
// first eight bytes (four, where an anchor is shorter) of all anchors; one pass over the text asks it at every byte,
// and only a hit costs a keyed look-up. So neither start-up nor the pass depends on how many patterns there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matchers/pattern.h"

namespace whyfail::matchers {

inline constexpr std::size_t kAnchorWindow = 8;
inline constexpr std::size_t kShortWindow = 4;  // shortest anchor

// Of the beginning of `anchor`, which has at least kShortWindow bytes.
std::uint64_t anchor_hash(std::string_view anchor);

// Of the beginning of the pattern's first literal that is long enough, by which a message that was cut off is found
// (cut_message.h): never equal to a hash of an anchor but by chance. nullopt: no literal is.
inline constexpr std::size_t kOpeningWindow = 16;
std::optional<std::uint64_t> opening_hash(const Pattern& pattern);
std::uint64_t opening_hash(std::string_view text);  // of its first kOpeningWindow bytes

// The filter over all anchors and openings; always the same size.
std::string make_anchor_filter(const std::vector<std::uint64_t>& hashes);
// Whether a pattern may have this hash; never false for one that has.
bool may_hold(std::string_view filter, std::uint64_t hash);
// Whether `filter` has the size of one; a source with another one has no patterns.
bool is_anchor_filter(std::string_view filter);

struct AnchorHit {
  std::size_t position;  // in the squeezed text
  std::uint64_t hash;
};
// Places in bytes [begin, end) of a squeezed text where an anchor may begin, in order.
std::vector<AnchorHit> find_anchors(std::string_view squeezed, std::size_t begin, std::size_t end,
                                    std::string_view filter);

// Gives every pattern of a knowledge base its anchor: of all places in its literals the one whose beginning the fewest
// others share. An exception without a message has its class name. Returns the indexes of patterns that have no usable
// literal.
std::vector<std::size_t> choose_anchors(std::vector<Pattern>& patterns);

}  // namespace whyfail::matchers
