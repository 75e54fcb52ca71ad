// Ranks what the search accepted and leaves out what adds nothing.
#include "fixer/plan/offers.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "fixer/plan/words.h"

namespace whyfail::fixer {
namespace {

constexpr std::size_t most_offers = 4;

std::uint64_t offloaded_bytes(const Candidate& candidate) {
  return candidate.outcome ? candidate.outcome->offloaded_bytes : 0;
}

// 0 is best. "exact": what keeps results first, among those what stays on the GPU; "speed": what stays on the GPU
// first; "fit": what needs least memory.
std::uint64_t rank(const Candidate& candidate, Preference preference) {
  const std::uint64_t offloaded = offloaded_bytes(candidate);
  std::uint64_t on_gpu = 0;
  if (candidate.outcome) {
    for (const DeviceUse& use : candidate.outcome->devices) {
      if (std::holds_alternative<std::int64_t>(use.capacity.device)) on_gpu += use.weights_bytes;
    }
  }
  switch (preference) {
    case Preference::exact:
      return (candidate.safety == Safety::same_results ? 0U : 2U) + (offloaded != 0 ? 1U : 0U);
    case Preference::speed:
      return offloaded;
    case Preference::fit:
      return on_gpu + offloaded;
  }
  return 0;
}

// A tenth at least: what differs by less is not worth a further step.
bool is_faster(const Candidate& candidate, const Candidate& other) {
  if (!candidate.outcome || !other.outcome) return false;
  return seconds_a_token(*candidate.outcome) < 0.9 * seconds_a_token(*other.outcome);
}

// Does what an earlier one does, perhaps in another order or with more steps, and gains nothing by it.
bool adds_to_another(const std::vector<Candidate>& accepted, std::size_t index) {
  const auto& more = accepted[index].strategies;
  for (std::size_t i = 0; i < index; ++i) {
    const auto& fewer = accepted[i].strategies;
    const bool within = !fewer.empty() && std::all_of(fewer.begin(), fewer.end(), [&](const std::string& name) {
      return std::find(more.begin(), more.end(), name) != more.end();
    });
    if (within && !is_faster(accepted[index], accepted[i])) return true;
  }
  return false;
}

std::size_t devices_used(const Candidate& candidate) {
  if (!candidate.outcome) return 0;
  const auto& devices = candidate.outcome->devices;
  return static_cast<std::size_t>(
      std::count_if(devices.begin(), devices.end(), [](const DeviceUse& use) { return use.weights_bytes != 0; }));
}

// In a plan, another call is worth reading only if it leaves less outside the GPUs or needs fewer devices.
bool worth_naming(const Candidate& other, const Candidate& best) {
  if (!other.outcome || !best.outcome) return true;
  return other.outcome->offloaded_bytes < best.outcome->offloaded_bytes || devices_used(other) < devices_used(best);
}

// What it pays for the room: the changes that change results.
std::set<std::string> price(const Candidate& candidate) {
  std::set<std::string> changes;
  for (const Change& change : candidate.changes) {
    if (change.safety != Safety::same_results) changes.insert(change.argument + "=" + change.new_value);
  }
  return changes;
}

// Costs all that one costs which is offered already, and is neither faster nor content with fewer devices.
bool no_better_than(const std::vector<const Candidate*>& offered, const Candidate& other) {
  return std::any_of(offered.begin(), offered.end(), [&](const Candidate* earlier) {
    const std::set<std::string> paid = price(other);
    const std::set<std::string> less = price(*earlier);
    return std::includes(paid.begin(), paid.end(), less.begin(), less.end()) && !is_faster(other, *earlier) &&
           devices_used(other) >= devices_used(*earlier);
  });
}

}  // namespace

bool proven(const Candidate& candidate) {
  if (candidate.verified_sizes) return true;
  return std::none_of(candidate.strategies.begin(), candidate.strategies.end(), [](const std::string& name) {
    return std::any_of(strategies().begin(), strategies().end(),
                       [&](const Strategy& strategy) { return strategy.name == name && strategy.needs_sizes(); });
  });
}

std::vector<const Candidate*> offers(std::vector<Candidate>& accepted, Preference preference, bool planning) {
  const auto outside = [&](const Candidate& candidate) { return planning ? offloaded_bytes(candidate) : 0; };
  std::stable_sort(accepted.begin(), accepted.end(), [&](const Candidate& a, const Candidate& b) {
    return std::make_tuple(!proven(a), rank(a, preference), outside(a), a.strategies.size(), a.order) <
           std::make_tuple(!proven(b), rank(b, preference), outside(b), b.strategies.size(), b.order);
  });
  std::vector<const Candidate*> offered;
  for (std::size_t i = 0; i < accepted.size() && offered.size() < most_offers; ++i) {
    const Candidate& other = accepted[i];
    const bool first = offered.empty();
    if (!first && planning && !worth_naming(other, *offered.front())) continue;
    if (!first && (!proven(other) || adds_to_another(accepted, i) || no_better_than(offered, other))) continue;
    offered.push_back(&other);
  }
  return offered;
}

}  // namespace whyfail::fixer
