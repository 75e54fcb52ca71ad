// Budgets by strategy, quantizer and release, then the allocation.
#include "fixer/placement/strategy_map.h"

#include "fixer/placement/balance.h"
#include "fixer/placement/ties.h"

namespace whyfail::fixer {

namespace {

void take_tenth(BudgetTable& budgets) {
  for (auto& [device, amount] : budgets) amount = amount * 0.90;
}

// Memory that this process holds and does not use counts as free, but not beyond what the user gave.
void add_unused(BudgetTable& budgets, const std::optional<BudgetTable>& given, const PlacementMachine& machine) {
  for (auto& [device, amount] : budgets) {
    if (is_number(device)) amount = amount + unused_bytes(machine, device);
    if (!given) continue;
    if (const Amount* user = find(*given, device)) amount = smaller(amount, *user);
  }
}

OrError<std::optional<BudgetTable>> given_budgets(const StrategyRequest& request, const Rules& rules) {
  if (!request.max_memory) return std::optional<BudgetTable>();
  OrError<BudgetTable> table = converted(*request.max_memory, rules);
  if (LibraryError* error = std::get_if<LibraryError>(&table)) return std::move(*error);
  return std::optional<BudgetTable>(std::get<BudgetTable>(std::move(table)));
}

OrError<Allocation> allocated(const StrategyRequest& request, const Sizes& sizes,
                              const std::optional<BudgetTable>& budgets,
                              const std::vector<std::vector<NodeIndex>>& groups, const Rules& rules) {
  OrError<BudgetTable> final_budgets = rules.own_allocator ? transformers_max_memory(budgets, request.machine, rules)
                                                           : accelerate_max_memory(budgets, request.machine, rules);
  if (LibraryError* error = std::get_if<LibraryError>(&final_budgets)) return std::move(*error);
  return allocate({request.tree, sizes, std::get<BudgetTable>(final_budgets), request.no_split, groups, true, false,
                   false, rules.leaves_out_parameters ? request.left_out : nullptr},
                  rules);
}

OrError<BudgetTable> balanced_by_accelerate(const StrategyRequest& request, const std::optional<BudgetTable>& given,
                                            const FlatTree& tree, const Sizes& sizes, const Rules& rules) {
  return accelerate_balanced(
      {tree, sizes, request.no_split, given, request.machine, request.strategy == "balanced_low_0"}, rules);
}

OrError<BudgetTable> balanced_before_tying(const StrategyRequest& request, const std::optional<BudgetTable>& given,
                                           const Rules& rules) {
  const FlatTree tree(request.tree.model(), request.tied_when_balancing);
  return balanced_by_accelerate(request, given, tree, sizes_of(tree, request.sizing, rules), rules);
}

// What the allocator is given; nothing where it measures for itself.
OrError<std::optional<BudgetTable>> accelerate_budgets(const StrategyRequest& request,
                                                       const std::optional<BudgetTable>& given, const Sizes& sizes,
                                                       const Rules& rules) {
  if (request.strategy == "sequential" && rules.sequential_takes_given) return given;
  const bool other_ties = !rules.ties_before_balancing && request.tied_otherwise_when_balancing;
  OrError<BudgetTable> table = request.strategy == "sequential" ? accelerate_max_memory(given, request.machine, rules)
                               : other_ties                     ? balanced_before_tying(request, given, rules)
                                            : balanced_by_accelerate(request, given, request.tree, sizes, rules);
  if (LibraryError* error = std::get_if<LibraryError>(&table)) return std::move(*error);
  return std::optional<BudgetTable>(std::get<BudgetTable>(std::move(table)));
}

// transformers 4: accelerate's functions.
OrError<StrategyMap> with_accelerate(const StrategyRequest& request, const std::optional<BudgetTable>& given,
                                     const Rules& rules) {
  const Sizes sizes = sizes_of(request.tree, request.sizing, rules);
  OrError<std::optional<BudgetTable>> first = accelerate_budgets(request, given, sizes, rules);
  if (LibraryError* error = std::get_if<LibraryError>(&first)) return std::move(*error);
  std::optional<BudgetTable> budgets = std::get<std::optional<BudgetTable>>(std::move(first));
  if (budgets && request.quantizer_reserves_room) take_tenth(*budgets);
  if (budgets && rules.unused_memory == UnusedMemory::after_balancing) add_unused(*budgets, given, request.machine);
  OrError<Allocation> done = allocated(request, sizes, budgets, request.tree.tied_groups(), rules);
  if (LibraryError* error = std::get_if<LibraryError>(&done)) return std::move(*error);
  return StrategyMap{std::move(budgets), std::get<Allocation>(std::move(done))};
}

// transformers 5: its own functions.
OrError<StrategyMap> with_transformers(const StrategyRequest& request, const std::optional<BudgetTable>& given,
                                       const Rules& rules) {
  const FlatTree& tree = request.tree;
  const Sizes sizes = sizes_of(tree, request.sizing, rules);
  OrError<BudgetTable> first =
      request.strategy == "sequential"
          ? transformers_max_memory(given, request.machine, rules)
          : transformers_balanced(
                {tree, sizes, request.no_split, given, request.machine, request.strategy == "balanced_low_0"}, rules);
  if (LibraryError* error = std::get_if<LibraryError>(&first)) return std::move(*error);
  BudgetTable budgets = std::get<BudgetTable>(std::move(first));
  if (rules.cpu_share == CpuShare::after_balancing && !given) {
    if (Amount* ram = find(budgets, Device("cpu"))) *ram = *ram * 0.90;
  }
  if (request.quantizer_reserves_room) take_tenth(budgets);
  if (rules.unused_memory == UnusedMemory::after_balancing) add_unused(budgets, given, request.machine);
  OrError<Allocation> done = allocated(request, sizes, budgets, declared_groups(tree, request.declared_ties), rules);
  if (LibraryError* error = std::get_if<LibraryError>(&done)) return std::move(*error);
  return StrategyMap{std::move(budgets), std::get<Allocation>(std::move(done))};
}

}  // namespace

OrError<StrategyMap> map_by_strategy(const StrategyRequest& request, const Rules& rules) {
  OrError<std::optional<BudgetTable>> given = given_budgets(request, rules);
  if (LibraryError* error = std::get_if<LibraryError>(&given)) return std::move(*error);
  const std::optional<BudgetTable>& budgets = std::get<std::optional<BudgetTable>>(given);
  return rules.own_allocator ? with_transformers(request, budgets, rules) : with_accelerate(request, budgets, rules);
}

}  // namespace whyfail::fixer
