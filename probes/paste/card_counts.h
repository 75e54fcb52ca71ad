// How many cards a person speaks of: "2x RTX 4090", "dual 3090", "two RTX 3090s", "4xA100", "A100 80GB x8".
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "probes/paste/stated.h"

namespace whyfail::probes::paste {

// What stands right before a name: "2x ", "4 × ", "dual ", "pair of ". 1 if nothing does.
std::size_t count_before(std::string_view before);
// What stands right after it: " x2".
std::size_t count_after(std::string_view after);
// count_before() of a name in its line, and a number alone where the name is in the plural: "2 RTX 3090s", "4 A100
// GPUs".
std::size_t count_of(std::string_view line, const NamedCard& name);

// "a 3090", "2x 4090", "dual 3090 Ti": the number of a GeForce card without its series, where a count or an article
// tells that it is one. Without the plural's s.
std::optional<NamedCard> bare_card_number(std::string_view line);

}  // namespace whyfail::probes::paste
