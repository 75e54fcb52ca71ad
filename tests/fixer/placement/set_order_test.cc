// Answers that depend on the order in which Python's sets give the tie groups.
#include <gtest/gtest.h>

#include <algorithm>

#include "fixer/placement/allocate.h"
#include "tests/fixer/placement/small_trees.h"

namespace whyfail::fixer {
namespace {

Module pair_of(const char* name, const char* tied, std::uint64_t tied_rows, std::uint64_t rows) {
  Module module{name, "Pair", {}, {}, {}};
  module.children.push_back(leaf(tied, "Linear", {tensor("weight", tied_rows, 1)}));
  module.children.push_back(leaf("own", "Linear", {tensor("weight", rows, 1)}));
  return module;
}

// "a" shares one tensor with "b" and one with "c" (and "d").
ModuleTree sharing_model(bool larger_second_group) {
  ModuleTree tree;
  tree.root.class_name = "Root";
  Module first{"a", "Source", {}, {}, {}};
  for (const char* name : {"x", "y"}) first.children.push_back(leaf(name, "Linear", {tensor("weight", 10, 1)}));
  tree.root.children.push_back(std::move(first));
  tree.root.children.push_back(pair_of("b", "x", 10, 100));
  tree.root.children.push_back(pair_of("c", "y", 10, 100));
  tree.ties = {{"a.x.weight", "b.x.weight"}, {"a.y.weight", "c.y.weight"}};
  if (larger_second_group) {
    tree.root.children.push_back(pair_of("d", "y", 10, 1));
    tree.ties[1].push_back("d.y.weight");
  }
  return tree;
}

OrError<Allocation> placed(const ModuleTree& model, const Rules& rules, double gpu,
                           const std::vector<std::string>& no_split, bool one_order, bool reversed) {
  const FlatTree tree(model, model.ties);
  const Sizes sizes = sizes_of(tree, Sizing(), rules);
  const BudgetTable budgets = {{std::int64_t{0}, {gpu, true}}, {std::string("cpu"), {1e6, true}}};
  std::vector<std::vector<NodeIndex>> groups = tree.tied_groups();
  if (reversed) std::reverse(groups.begin(), groups.end());
  const AllocationRequest request{tree, sizes, budgets, no_split, groups};
  return one_order ? allocate_in_order(request, rules).answer : allocate(request, rules);
}

DeviceMap sorted(DeviceMap map) {
  std::sort(map.begin(), map.end());
  return map;
}

// Budgets at which the two orders of two groups differ.
std::vector<double> undecided_budgets(const ModuleTree& model, const Rules& rules) {
  std::vector<double> found;
  for (double gpu = 0; gpu < 1000; gpu += 4) {
    const auto forward = placed(model, rules, gpu, {}, true, false);
    const auto backward = placed(model, rules, gpu, {}, true, true);
    if (forward.index() != 0 || backward.index() != 0) continue;
    if (sorted(std::get<Allocation>(forward).device_map) != sorted(std::get<Allocation>(backward).device_map)) {
      found.push_back(gpu);
    }
  }
  return found;
}

TEST(SetOrder, BothAnswersAreGivenWithTheirShares) {
  const ModuleTree model = sharing_model(false);
  const Rules rules = rules_for({4, 48, 3}, {1, 3, 0});
  const std::vector<double> budgets = undecided_budgets(model, rules);
  ASSERT_FALSE(budgets.empty());
  for (const double gpu : budgets) {
    const Allocation answer = std::get<Allocation>(placed(model, rules, gpu, {}, false, false));
    ASSERT_EQ(answer.other_orders.size(), 1U) << gpu;
    EXPECT_DOUBLE_EQ(answer.other_orders[0].share, 0.5);
    EXPECT_EQ(answer.other_orders[0].device_map,
              sorted(std::get<Allocation>(placed(model, rules, gpu, {}, true, true)).device_map));
  }
}

TEST(SetOrder, TheGroupWithMoreNamesIsFirstMoreOften) {
  const ModuleTree model = sharing_model(true);
  const Rules rules = rules_for({4, 48, 3}, {1, 3, 0});
  const std::vector<double> budgets = undecided_budgets(model, rules);
  ASSERT_FALSE(budgets.empty());
  for (const double gpu : budgets) {
    const Allocation answer = std::get<Allocation>(placed(model, rules, gpu, {}, false, false));
    ASSERT_EQ(answer.other_orders.size(), 1U) << gpu;
    EXPECT_NEAR(answer.other_orders[0].share, 1.0 / 3, 1e-12);
    // the second group has two of the three names, so its order is the likelier one
    EXPECT_EQ(sorted(answer.device_map),
              sorted(std::get<Allocation>(placed(model, rules, gpu, {}, true, true)).device_map));
  }
}

TEST(SetOrder, OlderReleasesHaveOneOrder) {
  const ModuleTree model = sharing_model(false);
  for (double gpu = 0; gpu < 1000; gpu += 4) {
    const auto answer = placed(model, rules_for({4, 44, 2}, {0, 33, 0}), gpu, {}, false, false);
    if (const Allocation* allocation = std::get_if<Allocation>(&answer)) {
      EXPECT_TRUE(allocation->other_orders.empty());
    }
  }
}

TEST(SetOrder, WhereTheOrderDecidesNothingThereIsOneAnswer) {
  const ModuleTree model = sharing_model(false);
  const Rules rules = rules_for({4, 48, 3}, {1, 3, 0});
  for (double gpu = 0; gpu < 1000; gpu += 4) {
    const auto answer = placed(model, rules, gpu, {"Pair"}, false, false);
    if (const Allocation* allocation = std::get_if<Allocation>(&answer)) {
      EXPECT_TRUE(allocation->other_orders.empty());
    }
  }
}

}  // namespace
}  // namespace whyfail::fixer
