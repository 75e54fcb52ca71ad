// Cache bytes against the tensors that small real models held: kv_cache.tsv.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "fixer/model/from_config.h"
#include "model_fixture.h"

namespace whyfail::fixer {
namespace {

TEST(KvCache, IsWhatTheLibraryHeld) {
  std::ifstream file(std::string(WHYFAIL_SOURCE_DIR) + "/tests/fixer/model/kv_cache.tsv");
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string label, release, config;
    std::getline(fields, label, '\t');
    std::getline(fields, release, '\t');
    std::getline(fields, config, '\t');
    ModelQuery query;
    query.name = label;
    query.dtype = DType::bfloat16;
    query.transformers = *kb::Release::parse(release);
    const auto found = model_from_config(query, model_data(), config, nullptr, "config");
    if (const auto* none = std::get_if<NoModel>(&found)) {
      ADD_FAILURE() << label << " " << release << ": " << none->why;
      continue;
    }
    std::uint64_t tokens = 0;
    std::uint64_t bytes = 0;
    while (fields >> tokens >> bytes) {
      const std::uint64_t computed = kv_cache_bytes(std::get<Model>(found), tokens, 2, query.transformers);
      EXPECT_LE(computed > bytes ? computed - bytes : bytes - computed, 64U)
          << label << ", transformers " << release << ", " << tokens << " tokens: " << computed << " instead of "
          << bytes;
    }
    ++rows;
  }
  EXPECT_GT(rows, 100);
}

TEST(KvCache, HostileNumbersDoNotOverflow) {
  Model model;
  model.cache.family = "mamba2";
  for (const char* const name : {"num_hidden_layers", "hidden_size", "expand", "conv_kernel", "state_size", "n_groups",
                                 "num_heads", "head_dim"}) {
    model.cache.numbers[name] = INT64_MAX;
  }
  EXPECT_EQ(kv_cache_bytes(model, UINT64_MAX, UINT64_MAX, {5, 23, 0}), 0U);
}

TEST(KvCache, NotKnownIsZero) { EXPECT_EQ(kv_cache_bytes(Model{}, 4096, 1, {4, 44, 2}), 0U); }

}  // namespace
}  // namespace whyfail::fixer
