// What a card's name tells: the sizes that it is sold with and its compute capability (data/gpus.toml).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whyfail::probes {

struct KnownCard {
  std::string vendor;                // "nvidia", "amd", "intel"
  std::vector<std::uint64_t> bytes;  // the sizes of cards of this name; a size within the name leaves only that
  std::string compute_capability;    // empty: not an NVIDIA card
  std::string source;                // where the sizes stand
};

// `name` as drivers and people write it: "NVIDIA GeForce RTX 4070 Laptop GPU", "Tesla T4", "A100-SXM4-80GB". None for
// names that are not listed and for names that a table cut short ("NVIDIA GeForce RTX 4070...").
std::optional<KnownCard> known_card(std::string_view name);

// How many names are listed.
std::size_t known_cards();

}  // namespace whyfail::probes
