// Tells the causes of an out-of-memory message apart.
#include "fixer/plan/memory_words.h"

#include <algorithm>

#include "fixer/plan/budget.h"

namespace whyfail::fixer {
namespace {

// What the driver keeps for itself and the contexts of idle programs: less than this is not worth a word.
constexpr std::uint64_t small = 700ULL << 20;

std::uint64_t held_by_others(const probes::MemoryError& error) {
  if (!error.own_bytes) return 0;
  const std::uint64_t rest = error.total_bytes - std::min(error.total_bytes, *error.own_bytes);
  return rest - std::min(rest, error.free_bytes);
}

std::string card(const probes::MemoryError& error) { return "GPU " + std::to_string(error.gpu); }

std::string holders_words(const probes::MemoryError& error) {
  std::string words = readable_size(error.requested_bytes) + " were asked for; of the " +
                      readable_size(error.total_bytes) + " of " + card(error) + ", ";
  if (error.own_bytes) words += readable_size(*error.own_bytes) + " are held by the process that failed, ";
  if (const std::uint64_t others = held_by_others(error); others >= small)
    words += readable_size(others) + " by others or the driver, ";
  return words + readable_size(error.free_bytes) + " are free";
}

std::string cause_words(const probes::MemoryError& error) {
  const std::uint64_t asked = error.requested_bytes;
  const std::uint64_t unallocated = error.unallocated_bytes.value_or(0);
  const std::uint64_t others = held_by_others(error);
  if (asked > error.total_bytes)
    return "That one allocation is larger than the card: no setting makes it fit, only a smaller batch, length or "
           "layer";
  if (error.free_bytes > asked)
    return "More was free than asked for: the limit is not the card's memory but the process's share of it, or the "
           "host's address space or pinned memory";
  if (unallocated >= asked)
    return "torch keeps " + readable_size(unallocated) +
           " that no tensor uses, in pieces too small for the request: fragmentation";
  if (error.own_bytes && others > *error.own_bytes)
    return "Most of it is held by other processes, not by this one: nvidia-smi shows which";
  if (others >= small && asked <= others)
    return "What others hold would have been enough for this request: nvidia-smi shows them";
  if (error.own_bytes)
    return "The process itself fills the card: weights, activations and cache together are too large for it; "
           "fragmentation is not the cause";
  return {};
}

}  // namespace

std::string memory_error_words(const probes::MemoryError& error) {
  const std::string cause = cause_words(error);
  return holders_words(error) + (cause.empty() ? "" : ". " + cause);
}

}  // namespace whyfail::fixer
