// Whether a paste and a machine can be one and the same.
#include <algorithm>

#include "probes/known_cards.h"
#include "probes/sources.h"

namespace whyfail::probes {
namespace {

// torch gives a card's capacity up to 3.4 percent below NVML's (5.80 GiB of a 6 GiB card), Windows rounds to 0.1 GB.
bool same_size(std::uint64_t one, std::uint64_t other) {
  const std::uint64_t larger = std::max(one, other);
  return larger - std::min(one, other) <= larger / 20;
}

// Whether a card as the paste names it can be `local`; a name alone tells what sizes it is sold with.
bool may_be(const Gpu& in_paste, const Gpu& local) {
  if (!local.total_bytes) return true;
  if (in_paste.total_bytes) return same_size(*in_paste.total_bytes, *local.total_bytes);
  const auto card = in_paste.mig ? std::nullopt : known_card(in_paste.name);
  if (!card) return in_paste.vendor.empty() || local.vendor.empty() || in_paste.vendor == local.vendor;
  return std::any_of(card->bytes.begin(), card->bytes.end(),
                     [&](std::uint64_t bytes) { return same_size(bytes, *local.total_bytes); });
}

bool other_gpus(const Machine& in_paste, const Machine& local) {
  if (!local.gpus_known && local.gpus.empty()) return false;
  if (in_paste.gpus_known && in_paste.gpus.empty()) return !local.gpus.empty();
  std::vector<const Gpu*> left;
  for (const Gpu& gpu : local.gpus) left.push_back(&gpu);
  for (const Gpu& gpu : in_paste.gpus) {
    const auto same =
        std::find_if(left.begin(), left.end(), [&](const Gpu* candidate) { return may_be(gpu, *candidate); });
    const bool told = gpu.total_bytes || !gpu.name.empty();
    if (same == left.end() && told) return true;
    if (same != left.end()) left.erase(same);
  }
  return false;
}

}  // namespace

bool contradicts(const Machine& in_paste, const Machine& local) {
  if (in_paste.os && local.os && !in_paste.os->name.empty() && !local.os->name.empty() &&
      in_paste.os->name != local.os->name) {
    return true;
  }
  if (in_paste.memory.total_bytes && local.memory.total_bytes &&
      !same_size(*in_paste.memory.total_bytes, *local.memory.total_bytes)) {
    return true;
  }
  return other_gpus(in_paste, local);
}

}  // namespace whyfail::probes
