// allocate(): every order that the tie groups can have where it matters, and the answer that is given most often.
//
// accelerate from 0.34 collects tied names in a set of strings (accelerate/utils/modeling.py find_tied_parameters) and
// transformers 5 their sources (integrations/accelerate.py _init_infer_auto_device_map), so the order of groups changes
// with PYTHONHASHSEED. Orders of names being equally likely, a group comes first with the share of names that it has in
// that set: all but one of its own for accelerate, one for transformers.
#include <algorithm>
#include <numeric>

#include "fixer/placement/allocate.h"

namespace whyfail::fixer {

namespace {

constexpr std::size_t kMostPermuted = 5;  // groups: 120 walks

struct Answer {
  double share = 0;
  OrError<Allocation> value;
  DeviceMap sorted_map;
};

DeviceMap sorted_map_of(const OrError<Allocation>& value) {
  DeviceMap map;
  if (const Allocation* allocation = std::get_if<Allocation>(&value)) map = allocation->device_map;
  std::sort(map.begin(), map.end());
  return map;
}

bool same(const Answer& left, const Answer& right) {
  const LibraryError* one = std::get_if<LibraryError>(&left.value);
  const LibraryError* other = std::get_if<LibraryError>(&right.value);
  if (one == nullptr || other == nullptr) return one == other && left.sorted_map == right.sorted_map;
  return one->type == other->type && one->message == other->message;
}

OtherOrder described(Answer answer) {
  OtherOrder other{answer.share, std::move(answer.sorted_map), {}, {}};
  if (LibraryError* error = std::get_if<LibraryError>(&answer.value)) {
    other.error = std::move(error->type);
    other.message = std::move(error->message);
  }
  return other;
}

class Orders {
 public:
  Orders(const AllocationRequest& request, const Rules& rules) : request_(request), rules_(rules) {}

  // Runs every order of `groups`; adds groups that turn out to matter as well.
  void run(std::vector<std::size_t>& groups) {
    if (groups.size() > kMostPermuted) groups.resize(kMostPermuted);
    answers_.clear();
    std::vector<std::size_t> order = groups;
    std::vector<std::size_t> met = groups;
    do {
      const std::vector<std::vector<NodeIndex>> arranged = in_order(order);
      OrderedAllocation one = allocate_in_order(
          {request_.tree, request_.sizes, request_.budgets, request_.no_split, arranged, request_.clean_result,
           request_.fallback_allocation, request_.offload_buffers, request_.left_out},
          rules_);
      for (const std::size_t place : one.deciding_groups) met.push_back(original_[place]);
      add({share_of(order), std::move(one.answer), {}});
    } while (std::next_permutation(order.begin(), order.end()));
    std::sort(met.begin(), met.end());
    met.erase(std::unique(met.begin(), met.end()), met.end());
    groups = std::move(met);
  }

  OrError<Allocation> likeliest() {
    std::stable_sort(answers_.begin(), answers_.end(),
                     [](const Answer& left, const Answer& right) { return left.share > right.share; });
    std::vector<OtherOrder> others;
    for (std::size_t i = 1; i < answers_.size(); ++i) others.push_back(described(std::move(answers_[i])));
    OrError<Allocation> first = std::move(answers_.front().value);
    std::visit([&](auto& value) { value.other_orders = std::move(others); }, first);
    return first;
  }

 private:
  // The groups in question first, the others as they are.
  std::vector<std::vector<NodeIndex>> in_order(const std::vector<std::size_t>& order) {
    original_ = order;
    for (std::size_t group = 0; group < request_.tied_groups.size(); ++group) {
      if (std::find(order.begin(), order.end(), group) == order.end()) original_.push_back(group);
    }
    std::vector<std::vector<NodeIndex>> groups;
    for (const std::size_t group : original_) groups.push_back(request_.tied_groups[group]);
    return groups;
  }

  double names_in_set(std::size_t group) const {
    return rules_.own_allocator ? 1.0 : static_cast<double>(request_.tied_groups[group].size() - 1);
  }

  double share_of(const std::vector<std::size_t>& order) const {
    double left = std::accumulate(order.begin(), order.end(), 0.0,
                                  [&](double sum, std::size_t group) { return sum + names_in_set(group); });
    double share = 1;
    for (const std::size_t group : order) {
      share *= names_in_set(group) / left;
      left -= names_in_set(group);
    }
    return share;
  }

  void add(Answer answer) {
    answer.sorted_map = sorted_map_of(answer.value);
    const auto known = std::find_if(answers_.begin(), answers_.end(), [&](const Answer& a) { return same(a, answer); });
    if (known == answers_.end()) {
      answers_.push_back(std::move(answer));
    } else {
      known->share += answer.share;
    }
  }

  const AllocationRequest& request_;
  const Rules& rules_;
  std::vector<std::size_t> original_;  // by place in the order that runs
  std::vector<Answer> answers_;
};

}  // namespace

OrError<Allocation> allocate(const AllocationRequest& request, const Rules& rules) {
  OrderedAllocation first = allocate_in_order(request, rules);
  if (!rules.tie_groups_from_set || first.deciding_groups.size() < 2) return std::move(first.answer);
  std::vector<std::size_t> groups = std::move(first.deciding_groups);
  Orders orders(request, rules);
  for (std::size_t known = 0; known < groups.size() && known < kMostPermuted;) {
    known = groups.size();
    orders.run(groups);
  }
  return orders.likeliest();
}

}  // namespace whyfail::fixer
