// What a map leaves out is named once, as high in the tree as can be.
#include "fixer/plan/map_coverage.h"

#include <gtest/gtest.h>

namespace whyfail::fixer {
namespace {

Module leaf(const std::string& name) { return {name, "Linear", {{"weight", 4, DType::float16, true}}, {}, {}}; }

ModuleTree small_model() {
  ModuleTree tree;
  Module layers{"layers", "ModuleList", {}, {}, {leaf("0"), leaf("1")}};
  Module rotary{"rotary_emb", "Rotary", {}, {{"inv_freq", 4, DType::float32, false}}, {}};
  Module model{"model", "Model", {}, {}, {leaf("embed_tokens"), layers, leaf("norm"), rotary}};
  tree.root = {"", "ForCausalLM", {}, {}, {model, leaf("lm_head")}};
  return tree;
}

using Names = std::vector<std::pair<std::string, Device>>;

TEST(MapCoverage, NamesModulesWithBuffersToo) {
  const DeviceMap map = {
      {"model.embed_tokens", std::int64_t{0}}, {"model.layers", std::int64_t{1}}, {"model.norm", std::int64_t{1}}};
  EXPECT_EQ(left_out(small_model(), map), (Names{{"model.rotary_emb", std::int64_t{1}}, {"lm_head", std::int64_t{1}}}));
}

TEST(MapCoverage, AWholeMapLeavesNothingOut) {
  EXPECT_TRUE(left_out(small_model(), {{"", std::int64_t{0}}}).empty());
  EXPECT_TRUE(left_out(small_model(), {{"model", std::int64_t{0}}, {"lm_head", std::string("cpu")}}).empty());
}

TEST(MapCoverage, ATiedHeadGoesBesideItsPartner) {
  ModuleTree tree = small_model();
  tree.ties = {{"model.embed_tokens.weight", "lm_head.weight"}};
  const DeviceMap map = {{"model.embed_tokens", std::int64_t{0}},
                         {"model.layers", std::int64_t{1}},
                         {"model.norm", std::int64_t{1}},
                         {"model.rotary_emb", std::int64_t{1}}};
  EXPECT_EQ(left_out(tree, map), (Names{{"lm_head", std::int64_t{0}}}));
}

TEST(MapCoverage, SplitModulesAreNamedByTheirParts) {
  const DeviceMap map = {{"model.layers.0", std::int64_t{0}}, {"lm_head", std::int64_t{0}}};
  EXPECT_EQ(left_out(small_model(), map).size(), 4U);  // embed_tokens, layers.1, norm, rotary_emb
}

}  // namespace
}  // namespace whyfail::fixer
