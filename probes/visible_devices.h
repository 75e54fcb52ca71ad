// Which cards a *_VISIBLE_DEVICES variable leaves, and in which order.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whyfail::probes {

// A card as CUDA_VISIBLE_DEVICES can name it.
struct VisibleInstance {
  std::string uuid;         // "MIG-…"
  std::string legacy_name;  // "MIG-GPU-UUID/gi/ci"; empty: not known
};

struct VisibleCard {
  std::string uuid;                        // "GPU-…"
  std::vector<VisibleInstance> instances;  // if MIG is enabled
  bool mig_enabled = false;
};

// What a token chose: a card and, of a card with MIG, which of its instances. `card` none: the card with index
// `unplaced`, which cannot be told because the order is not known.
struct Chosen {
  std::optional<std::size_t> card;
  std::optional<std::size_t> instance;
  std::optional<std::size_t> unplaced;

  bool operator==(const Chosen&) const = default;
};

// CUDA_VISIBLE_DEVICES (CUDA programming guide, environment variables; MIG user guide): `variable` is its value,
// `cards` all cards, `order[i]` the card that index i names; an empty order with cards: not known. The result is in the
// order of the keys that max_memory uses.
std::vector<Chosen> visible_to_cuda(std::string_view variable, const std::vector<VisibleCard>& cards,
                                    const std::vector<std::size_t>& order);

// What choosing a whole card gives: itself, of a card with MIG enabled its first instance, nothing if it has none.
std::optional<Chosen> whole_card(const std::vector<VisibleCard>& cards, std::size_t card);

// Indices into 0 … count-1, in the order named, up to the first token that names none of them; `uuids` may be empty or
// give each one's "GPU-…" name.
std::vector<std::size_t> visible_indices(std::string_view variable, std::size_t count,
                                         const std::vector<std::string>& uuids);

}  // namespace whyfail::probes
