// Halves the context until the weights fit beside its cache.
#include "fixer/plan/longest_context.h"

#include <algorithm>

namespace whyfail::fixer {
namespace {

// Less than this is no conversation: nothing is gained by saying that so few tokens would fit.
constexpr std::uint64_t fewest_tokens = 64;

bool fits_beside(const Outcome& outcome, const std::vector<Capacity>& room) {
  return std::all_of(outcome.devices.begin(), outcome.devices.end(), [&](const DeviceUse& use) {
    if (use.load_peak_certain && use.load_peak_bytes > use.capacity.usable_bytes) return false;
    if (use.weights_bytes == 0 || use.read_in_place) return true;
    const auto at = std::find_if(room.begin(), room.end(),
                                 [&](const Capacity& capacity) { return capacity.device == use.capacity.device; });
    return at != room.end() && use.weights_bytes <= at->weights_bytes;
  });
}

}  // namespace

std::optional<std::uint64_t> longest_context(const Outcome& outcome, const Model& model, const probes::Machine& machine,
                                             const PlanOptions& options, const kb::Release& transformers) {
  if (outcome.error) return std::nullopt;
  PlanOptions shorter = options;
  const auto fits = [&](std::uint64_t tokens) {
    shorter.context = tokens;
    return fits_beside(outcome, capacities(machine, &model, shorter, transformers));
  };
  std::uint64_t too_many = options.context != 0 ? options.context : default_context;
  std::uint64_t enough = fewest_tokens;
  if (too_many <= enough || fits(too_many) || !fits(enough)) return std::nullopt;
  while (too_many - enough > 1) {
    const std::uint64_t middle = enough + (too_many - enough) / 2;
    (fits(middle) ? enough : too_many) = middle;
  }
  return enough;
}

}  // namespace whyfail::fixer
