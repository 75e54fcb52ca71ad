// What holds for every model and machine.
#include <gtest/gtest.h>

#include <random>

#include "fixer/placement/allocate.h"
#include "fixer/placement/flat_tree.h"
#include "fixer/placement/key_lookup.h"
#include "fixer/placement/sizes.h"
#include "tests/fixer/placement/small_trees.h"

namespace whyfail::fixer {
namespace {

const kb::Release kReleases[][2] = {{{4, 30, 2}, {0, 20, 3}}, {{4, 40, 2}, {0, 29, 3}}, {{4, 46, 3}, {1, 1, 1}},
                                    {{4, 57, 6}, {1, 12, 0}}, {{5, 5, 0}, {1, 13, 0}},  {{5, 23, 0}, {1, 15, 0}}};

struct Outcomes {
  DeviceMap map;
  double on_gpu_0 = 0;
};

Outcomes placed_with(const FlatTree& tree, const Rules& rules, double gpu, double cpu, bool clean = true) {
  Sizing sizing;
  sizing.by_element = rules.own_allocator;
  const Sizes sizes = sizes_of(tree, sizing, rules);
  const BudgetTable budgets = {{std::int64_t{0}, {gpu, true}}, {std::string("cpu"), {cpu, true}}};
  const OrError<Allocation> made =
      allocate({tree, sizes, budgets, {"B"}, tree.tied_groups(), clean, false, true}, rules);
  Outcomes result;
  if (std::holds_alternative<LibraryError>(made)) return result;
  result.map = std::get<Allocation>(made).device_map;
  for (const auto& [name, device] : result.map) {
    if (device == Device(std::int64_t{0})) result.on_gpu_0 += sizes.of(tree.node_of(name));
  }
  return result;
}

TEST(Properties, EverythingThatFitsGoesToGpu0) {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    const ModuleTree model = random_model(random);
    const FlatTree tree(model, {});
    for (const auto& release : kReleases) {
      const Rules rules = rules_for(release[0], release[1]);
      const double total = static_cast<double>(total_bytes(model));
      // the largest layer is kept free until the last module is taken up
      const DeviceMap map = placed_with(tree, rules, total * 2, total).map;
      ASSERT_FALSE(map.empty());
      for (const auto& [name, device] : map) EXPECT_EQ(device, Device(std::int64_t{0})) << name;
    }
  }
}

TEST(Properties, TotalOnGpu0IsEnoughToTheByte) {
  const ModuleTree model = language_model(6, 16, false);
  const FlatTree tree(model, {});
  const double total = static_cast<double>(total_bytes(model));
  const DeviceMap whole = {{"", std::int64_t{0}}};
  for (const auto& release : kReleases) {
    const Rules rules = rules_for(release[0], release[1]);
    EXPECT_EQ(placed_with(tree, rules, total, total).map, whole) << release[0].text();
    EXPECT_NE(placed_with(tree, rules, total - 1, total).map, whole) << release[0].text();
  }
}

TEST(Properties, MoreMemoryNeverGivesLessOnGpu0) {
  std::mt19937 random(2);
  for (int round = 0; round < 40; ++round) {
    const ModuleTree model = random_model(random);
    const FlatTree tree(model, {});
    const double total = static_cast<double>(total_bytes(model));
    for (const auto& release : kReleases) {
      const Rules rules = rules_for(release[0], release[1]);
      double before = 0;
      for (double gpu = 0; gpu <= total * 1.2; gpu += total / 37 + 1) {
        // uncleaned: a key that replaces others also stands for buffers that were never counted
        const double bytes = placed_with(tree, rules, gpu, total, false).on_gpu_0;
        EXPECT_GE(bytes, before) << "round " << round << ", " << release[0].text() << ", " << gpu << " bytes";
        EXPECT_LE(bytes, gpu);
        before = bytes;
      }
    }
  }
}

TEST(Properties, EveryParameterIsCoveredOnceAndCleaningChangesNothing) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    const ModuleTree model = random_model(random);
    const FlatTree tree(model, {});
    const double total = static_cast<double>(total_bytes(model));
    for (const auto& release : kReleases) {
      const Rules rules = rules_for(release[0], release[1]);
      const ValueMap clean = with_values(placed_with(tree, rules, total / 3, total / 3).map);
      const ValueMap full = with_values(placed_with(tree, rules, total / 3, total / 3, false).map);
      EXPECT_LE(clean.size(), full.size());
      const KeyLookup in_clean(clean);
      const KeyLookup in_full(full);
      for (NodeIndex index = 0; index < tree.size(); ++index) {
        if (tree[index].kind != NodeKind::parameter) continue;
        const std::string name = tree.full_name(index);
        ASSERT_NE(in_clean.by_prefix(name), nullptr) << name;
        ASSERT_NE(in_full.by_prefix(name), nullptr) << name;
        EXPECT_EQ(in_clean.by_prefix(name)->name(), in_full.by_prefix(name)->name()) << name;
      }
    }
  }
}

}  // namespace
}  // namespace whyfail::fixer
