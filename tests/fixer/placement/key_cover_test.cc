// The walks over a whole tree give for every name what looking that name up alone gives.
#include "fixer/placement/key_cover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fixer/placement/key_lookup.h"
#include "tests/fixer/placement/small_trees.h"

namespace whyfail::fixer {
namespace {

// Names of the tree, beginnings of them, and names with a character changed, each once.
ValueMap random_map(const FlatTree& tree, std::mt19937& random) {
  std::vector<std::string> keys;
  for (NodeIndex index = 0; index < tree.size(); ++index) {
    if (random() % 3 != 0) continue;
    std::string key = tree.full_name(index);
    if (random() % 4 == 0) key.resize(random() % (key.size() + 1));
    if (random() % 6 == 0 && !key.empty()) key[random() % key.size()] = random() % 2 == 0 ? '.' : '1';
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
  }
  std::shuffle(keys.begin(), keys.end(), random);
  ValueMap map;
  for (std::string& key : keys) map.emplace_back(std::move(key), DeviceValue::of_number(0));
  return map;
}

const DeviceValue* value_of(const ValueMap& map, EntryIndex entry) {
  return entry == kNoEntry ? nullptr : &map[static_cast<std::size_t>(entry)].second;
}

// The alternatives of the regular expression in their order, tried one after the other.
EntryIndex tried_in_turn(const ValueMap& map, const std::string& name) {
  const auto rank = [](const std::string& key) {
    return std::pair(std::count(key.begin(), key.end(), '.'), key.size());
  };
  EntryIndex best = kNoEntry;
  for (std::size_t i = 0; i < map.size(); ++i) {
    const std::string& key = map[i].first;
    bool matches = key.size() <= name.size();
    for (std::size_t at = 0; matches && at < key.size(); ++at) matches = key[at] == '.' || key[at] == name[at];
    if (!matches) continue;
    if (best == kNoEntry || rank(key) > rank(map[static_cast<std::size_t>(best)].first)) {
      best = static_cast<EntryIndex>(i);
    }
  }
  return best;
}

TEST(KeyCover, EqualsLookingUpEveryName) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const ModuleTree model = random_model(random);
    const FlatTree tree(model, {});
    const ValueMap map = random_map(tree, random);
    const KeyLookup lookup(map);
    const KeyCover cover = key_cover(tree, map);
    const std::vector<EntryIndex> by_pattern = entries_by_pattern(tree, map);
    for (NodeIndex index = 0; index < tree.size(); ++index) {
      const std::string name = tree.full_name(index);
      const auto at = static_cast<std::size_t>(index);
      EXPECT_EQ(value_of(map, cover.exactly[at]), lookup.exactly(name)) << name;
      EXPECT_EQ(value_of(map, cover.by_prefix[at]), lookup.by_prefix(name)) << name;
      if (!tree.is_module(index)) {
        EXPECT_EQ(by_pattern[at], tried_in_turn(map, name)) << name;
      }
    }
  }
}

// "model.layers.1" takes "model.layers.10" too where nothing longer does, and "." any character.
TEST(KeyCover, PatternsHaveNoBoundary) {
  ModuleTree model;
  model.root.class_name = "Model";
  Module list{"layers", "ModuleList", {}, {}, {}};
  for (const char* name : {"1", "10", "11", "2"}) {
    list.children.push_back({name, "Layer", {{"weight", 1}}, {}, {}});
  }
  model.root.children.push_back(std::move(list));
  const FlatTree tree(model, {});
  const auto entry = [&](const ValueMap& map, const char* name) {
    return entries_by_pattern(tree, map)[static_cast<std::size_t>(tree.node_of(name))];
  };
  const ValueMap map = {{"layers.1", DeviceValue::of_number(0)}, {"layers.11", DeviceValue::of_number(1)}};
  EXPECT_EQ(entry(map, "layers.1.weight"), 0);
  EXPECT_EQ(entry(map, "layers.10.weight"), 0);
  EXPECT_EQ(entry(map, "layers.11.weight"), 1);
  EXPECT_EQ(entry(map, "layers.2.weight"), kNoEntry);
  const ValueMap dotted = {{"la.ers..0", DeviceValue::of_number(0)}};
  EXPECT_EQ(entry(dotted, "layers.10.weight"), 0);
  EXPECT_EQ(entry(dotted, "layers.11.weight"), kNoEntry);
}

}  // namespace
}  // namespace whyfail::fixer
