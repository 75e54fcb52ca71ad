// The walks over a whole tree give for every name what looking that name up alone gives.
#include "fixer/placement/key_cover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fixer/placement/key_lookup.h"
#include "fixer/placement/key_pattern.h"
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

// The alternatives of the regular expression in their order, tried one after the other; then the map is asked for the
// text that was matched.
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
  if (best == kNoEntry) return best;
  const std::string matched = name.substr(0, map[static_cast<std::size_t>(best)].first.size());
  const auto known = std::find_if(map.begin(), map.end(), [&](const auto& entry) { return entry.first == matched; });
  return known == map.end() ? best : static_cast<EntryIndex>(known - map.begin());
}

TEST(KeyCover, EqualsLookingUpEveryName) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const ModuleTree model = random_model(random);
    const FlatTree tree(model, {});
    const ValueMap map = random_map(tree, random);
    const KeyLookup lookup(map);
    const KeyCover cover = key_cover(tree, map);
    const std::vector<EntryIndex> by_pattern = pattern_cover(tree, map).entries;
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
    return pattern_cover(tree, map).entries[static_cast<std::size_t>(tree.node_of(name))];
  };
  const ValueMap map = {{"layers.1", DeviceValue::of_number(0)}, {"layers.11", DeviceValue::of_number(1)}};
  EXPECT_EQ(entry(map, "layers.1.weight"), 0);
  EXPECT_EQ(entry(map, "layers.10.weight"), 0);
  EXPECT_EQ(entry(map, "layers.11.weight"), 1);
  EXPECT_EQ(entry(map, "layers.2.weight"), kNoEntry);
  const ValueMap dotted = {{"la.ers..0", DeviceValue::of_number(0)}};
  EXPECT_EQ(entry(dotted, "layers.10.weight"), 0);
  EXPECT_EQ(entry(dotted, "layers.11.weight"), kNoEntry);
  EXPECT_EQ(pattern_cover(tree, dotted).matched_no_key, "layers.10");
  EXPECT_EQ(pattern_cover(tree, map).matched_no_key, std::nullopt);
  const ValueMap starred = {{"layers.1", DeviceValue::of_number(0)}, {"layers.2.*", DeviceValue::of_number(1)}};
  EXPECT_EQ(pattern_cover(tree, starred).matched_no_key, "layers.2.weight");
}

TEST(KeyCover, RepetitionsMatchAsPythonsDo) {
  std::size_t steps = 1000;
  EXPECT_TRUE(repeats_characters("layers.*"));
  EXPECT_FALSE(repeats_characters("layers.1"));
  EXPECT_FALSE(repeats_characters("*layers"));
  EXPECT_FALSE(repeats_characters("layers.**"));
  EXPECT_FALSE(repeats_characters("layers.[0-9]*"));
  EXPECT_EQ(matched_length("layers.1+", "layers.112.weight", steps), 9U);
  EXPECT_EQ(matched_length("l.*w", "layers.1.weight", steps), 10U);
  EXPECT_EQ(matched_length("layers?.1", "layer.1.weight", steps), 7U);
  EXPECT_EQ(matched_length("layers.3*.x", "layers.1.weight", steps), std::nullopt);
  // repetitions that overlap end all the same
  std::size_t many = 1000000;
  EXPECT_EQ(matched_length("a*a*a*a*a*a*a*a*b", std::string(200, 'a'), many), std::nullopt);
  EXPECT_GT(many, 500000U);
}

}  // namespace
}  // namespace whyfail::fixer
