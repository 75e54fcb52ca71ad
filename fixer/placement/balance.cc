// Budgets per GPU: the model's bytes over the number of GPUs, and room for one more block or leaf.
#include "fixer/placement/balance.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "fixer/placement/torch_device.h"

namespace whyfail::fixer {

namespace {

// Python's `//`.
OrError<double> floor_divided(double total, bool fractional, std::int64_t by) {
  if (by == 0) {
    return library_error("ZeroDivisionError",
                         fractional ? "float floor division by zero" : "integer division or modulo by zero");
  }
  const double divisor = static_cast<double>(by);
  const double rest = std::fmod(total, divisor);
  return std::floor((total - rest) / divisor + 0.5);
}

LibraryError key_error(std::int64_t key) { return library_error("KeyError", std::to_string(key)); }

// Largest first instance of the no-split classes. Modules with parameters come before those with buffers only, since
// that is the order in which the library's dictionary of sizes is filled.
double first_instances(const BalanceRequest& request) {
  std::map<std::string_view, double> first;
  for (const bool by_parameter : {true, false}) {
    for (NodeIndex index = 1; index < request.tree.size() && first.size() < request.no_split.size(); ++index) {
      const Node& node = request.tree[index];
      if (node.kind != NodeKind::module || !request.sizes.has(index)) continue;
      if (request.sizes.by_parameter[static_cast<std::size_t>(index)] != by_parameter) continue;
      if (std::find(request.no_split.begin(), request.no_split.end(), node.class_name) == request.no_split.end()) {
        continue;
      }
      first.emplace(node.class_name, request.sizes.of(index));
    }
  }
  double largest = 0;
  for (const auto& [name, bytes] : first) largest = std::max(largest, bytes);
  return largest;
}

OrError<double> largest_instance(const BalanceRequest& request) {
  std::optional<double> largest;
  for (NodeIndex index = 0; index < request.tree.size(); ++index) {
    const Node& node = request.tree[index];
    if (node.kind != NodeKind::module) continue;
    if (std::find(request.no_split.begin(), request.no_split.end(), node.class_name) == request.no_split.end())
      continue;
    largest = std::max(largest.value_or(0), request.sizes.of(index));
  }
  if (!largest) return library_error("ValueError", "max() arg is an empty sequence");
  return *largest;
}

// Mean over the modules that have sizes and no child with one, the root aside.
double mean_of_final_modules(const FlatTree& tree, const Sizes& sizes) {
  std::vector<bool> parent_of_counted(tree.nodes().size());
  for (NodeIndex index = tree.size(); index-- > 1;) {
    if (tree.is_module(index) && sizes.has(index)) {
      parent_of_counted[static_cast<std::size_t>(tree[index].parent)] = true;
    }
  }
  double sum = 0;
  double count = 0;
  for (NodeIndex index = 1; index < tree.size(); ++index) {
    if (!tree.is_module(index) || !sizes.has(index) || parent_of_counted[static_cast<std::size_t>(index)]) continue;
    sum += sizes.of(index);
    ++count;
  }
  return std::trunc(sum / std::max(count, 1.0));
}

// Over the modules that own tensors, the root aside: the mean or the largest of what they own themselves.
double own_tensors(const FlatTree& tree, const Sizes& sizes, bool largest) {
  double sum = 0;
  double count = 0;
  double most = 0;
  for (NodeIndex index = 1; index < tree.size(); ++index) {
    if (!tree.is_module(index)) continue;
    double own = 0;
    bool any = false;
    for (NodeIndex tensor = index + 1; tensor < tree[index].tensors_end; ++tensor) {
      if (!sizes.has(tensor)) continue;
      own += sizes.of(tensor);
      any = true;
    }
    if (!any) continue;
    sum += own;
    ++count;
    most = std::max(most, own);
  }
  return largest ? most : std::trunc(sum / std::max(count, 1.0));
}

// Number keys with a budget above zero, ascending.
std::vector<std::int64_t> numbers_with_budget(const BudgetTable& budgets) {
  std::vector<std::int64_t> numbers;
  for (const auto& [device, amount] : budgets) {
    if (is_number(device) && amount.bytes > 0) numbers.push_back(std::get<std::int64_t>(device));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

OrError<BudgetTable> with_low_zero(BudgetTable budgets, const Amount& total, std::int64_t count) {
  Amount others;
  for (std::int64_t i = 1; i < count; ++i) {
    const Amount* amount = find(budgets, Device(i));
    if (amount == nullptr) return key_error(i);
    others = others + *amount;
  }
  Amount* zero = find(budgets, Device(std::int64_t{0}));
  if (zero == nullptr) return key_error(0);
  const Amount rest{total.bytes - others.bytes, total.whole && others.whole};
  *zero = smaller(rest.bytes > 0 ? rest : Amount{}, *zero);
  return budgets;
}

void take_tenth_from_single_gpu(BudgetTable& budgets) {
  for (auto& [device, amount] : budgets) {
    if (!is_number(device)) continue;
    amount = amount * 0.9;
    return;
  }
}

OrError<std::int64_t> accelerate_device_count(const BudgetTable& budgets, const PlacementMachine& machine,
                                              const Rules& rules) {
  const bool mps_counts = machine.mps && (rules.balanced_devices == BalancedDevices::cuda_or_mps ||
                                          rules.balanced_devices == BalancedDevices::numbers_or_mps);
  std::int64_t count = 0;
  for (const auto& [device, amount] : budgets) {
    bool counts = is_number(device) && rules.balanced_devices == BalancedDevices::numbers_or_mps;
    if (!counts) {
      OrError<std::string> type = torch_device_type(device);
      if (LibraryError* error = std::get_if<LibraryError>(&type)) return std::move(*error);
      counts = std::get<std::string>(type) == (mps_counts ? "mps" : "cuda");
    }
    if (counts && amount.bytes > 0) ++count;
  }
  return count;
}

// Every number up to the last one is capped, those without a budget too.
std::optional<LibraryError> cap_all_numbers(BudgetTable& budgets, const Amount& share, bool low_zero,
                                            const Rules& rules) {
  const std::vector<std::int64_t> numbers = numbers_with_budget(budgets);
  if (numbers.empty()) return library_error("ValueError", "max() arg is an empty sequence");
  for (std::int64_t i = 0; i < numbers.back(); ++i) {
    Amount* amount = find(budgets, Device(i));
    if (amount == nullptr) return key_error(i);
    const bool kept = low_zero && i == 0;
    if (kept && !rules.low_zero_empties_gpu_0) continue;
    *amount = smaller(kept ? Amount{} : share, *amount);
  }
  return std::nullopt;
}

void cap_numbers(BudgetTable& budgets, const Amount& share, bool low_zero) {
  const std::vector<std::int64_t> numbers = numbers_with_budget(budgets);
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    if (low_zero && numbers[i] == 0) continue;
    Amount* amount = find(budgets, Device(numbers[i]));
    *amount = smaller(share, *amount);
  }
}

}  // namespace

OrError<BudgetTable> accelerate_balanced(const BalanceRequest& request, const Rules& rules) {
  OrError<BudgetTable> basic = accelerate_max_memory(request.given, request.machine, rules);
  if (std::holds_alternative<LibraryError>(basic)) return basic;
  BudgetTable budgets = std::get<BudgetTable>(std::move(basic));
  if (rules.balances_only_beside_cuda && (request.machine.gpus.empty() || request.machine.mps)) return budgets;
  OrError<std::int64_t> counted = accelerate_device_count(budgets, request.machine, rules);
  if (LibraryError* error = std::get_if<LibraryError>(&counted)) return std::move(*error);
  const std::int64_t count = std::get<std::int64_t>(counted);
  if (count == 0 && !rules.balances_over_no_device) return budgets;
  const bool low_zero = request.low_zero && (count != 1 || rules.low_zero_of_single_gpu);
  if (count == 1 && rules.takes_tenth_of_single_gpu && !request.given) take_tenth_from_single_gpu(budgets);
  const Sizes& sizes = request.sizes;
  const Amount total{sizes.of(0), !sizes.fractional[0]};
  OrError<double> divided = floor_divided(total.bytes, !total.whole, low_zero ? count - 1 : count);
  if (LibraryError* error = std::get_if<LibraryError>(&divided)) return std::move(*error);
  const double extra =
      std::trunc(1.25 * std::max(first_instances(request), mean_of_final_modules(request.tree, sizes)));
  const Amount share{std::get<double>(divided) + extra, total.whole};
  if (rules.caps_every_number) {
    if (std::optional<LibraryError> error = cap_all_numbers(budgets, share, low_zero, rules)) return std::move(*error);
  } else {
    cap_numbers(budgets, share, low_zero);
  }
  if (low_zero) return with_low_zero(std::move(budgets), total, count);
  return budgets;
}

OrError<BudgetTable> transformers_balanced(const BalanceRequest& request, const Rules& rules) {
  OrError<BudgetTable> basic = transformers_max_memory(request.given, request.machine, rules);
  if (std::holds_alternative<LibraryError>(basic)) return basic;
  BudgetTable budgets = std::get<BudgetTable>(std::move(basic));
  std::int64_t count = 0;
  for (const auto& [device, amount] : budgets) {
    if (!is_named(device, "cpu") && !is_named(device, "disk") && amount.bytes > 0) ++count;
  }
  if (count == 0) return budgets;
  bool low_zero = request.low_zero;
  if (count == 1) {
    low_zero = false;
    if (!request.given) take_tenth_from_single_gpu(budgets);
  }
  const Sizes& sizes = request.sizes;
  const Amount total{sizes.of(0), !sizes.fractional[0]};
  OrError<double> divided = floor_divided(total.bytes, !total.whole, low_zero ? count - 1 : count);
  if (LibraryError* error = std::get_if<LibraryError>(&divided)) return std::move(*error);
  double block = 0;
  if (!request.no_split.empty() && rules.block_is_largest_instance) {
    OrError<double> largest = largest_instance(request);
    if (LibraryError* error = std::get_if<LibraryError>(&largest)) return std::move(*error);
    block = std::get<double>(largest);
  } else {
    block = first_instances(request);
  }
  const double extra = std::trunc(1.25 * std::max(block, own_tensors(request.tree, sizes, rules.leaf_is_largest)));
  cap_numbers(budgets, {std::get<double>(divided) + extra, total.whole}, low_zero);
  if (low_zero) return with_low_zero(std::move(budgets), total, count);
  return budgets;
}

}  // namespace whyfail::fixer
