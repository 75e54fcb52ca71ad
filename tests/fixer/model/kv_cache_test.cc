// Cache bytes against the tensors that small real models held: kv_cache.tsv.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "fixer/model/from_config.h"
#include "model_fixture.h"

namespace whyfail::fixer {
namespace {

// HybridCache of 4.48.3 and 4.51.3 holds a bool a layer beside the keys and values: whether it slides.
std::uint64_t flag_bytes(const Model& model, const kb::Release& release) {
  const std::string& family = model.cache.family;
  const bool hybrid = family == "gemma2" || family == "gemma3_text" || family == "cohere2";
  if (!hybrid || release >= kb::Release{4, 56, 0}) return 0;
  return static_cast<std::uint64_t>(model.cache.numbers.at("num_hidden_layers"));
}

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
      EXPECT_EQ(computed + flag_bytes(std::get<Model>(found), query.transformers), bytes)
          << label << ", transformers " << release << ", " << tokens << " tokens";
    }
    ++rows;
  }
  EXPECT_EQ(rows, 244);
}

Model model_with(const char* config, const char* class_name, const kb::Release& release) {
  ModelQuery query;
  query.name = "small";
  query.auto_class = class_name;
  query.dtype = DType::bfloat16;
  query.transformers = release;
  return std::get<Model>(model_from_config(query, model_data(), config, nullptr, "config"));
}

// t5 in 4.40.2, 4.48.3, 4.51.3, 4.57.6 and 5.23.0 held the same: keys and values of `tokens` encoder tokens, and of 4
// fewer of the decoder. The cache grows evenly, so that this is the mean of both lengths.
TEST(KvCache, EncoderAndDecoder) {
  const char* const config =
      R"({"model_type":"t5","vocab_size":97,"d_model":64,"d_kv":8,"d_ff":48,"num_layers":3,"num_heads":8})";
  for (const kb::Release release : {kb::Release{4, 40, 2}, kb::Release{4, 48, 3}, kb::Release{4, 51, 3},
                                    kb::Release{4, 57, 6}, kb::Release{5, 23, 0}}) {
    const Model model = model_with(config, "T5ForConditionalGeneration", release);
    const std::pair<std::uint64_t, std::uint64_t> held[] = {{12, 30720}, {40, 116736}, {41, 119808}, {56, 165888}};
    for (const auto& [tokens, bytes] : held) {
      const std::uint64_t longer = kv_cache_bytes(model, tokens, 2, release);
      const std::uint64_t shorter = kv_cache_bytes(model, tokens - 4, 2, release);
      EXPECT_EQ((longer + shorter) / 2, bytes) << tokens << " tokens, transformers " << release.text();
    }
  }
}

// BartForCausalLM of 5.23.0, which has no encoder, held this; with one there is as much again.
TEST(KvCache, DecoderAlone) {
  const char* const config =
      R"({"model_type":"bart","vocab_size":97,"d_model":64,"encoder_layers":3,"decoder_layers":3,)"
      R"("encoder_attention_heads":8,"decoder_attention_heads":8,"encoder_ffn_dim":48,"decoder_ffn_dim":48})";
  const kb::Release release{5, 23, 0};
  const Model alone = model_with(config, "BartForCausalLM", release);
  const Model both = model_with(config, "BartForConditionalGeneration", release);
  const std::pair<std::uint64_t, std::uint64_t> held[] = {{12, 18432}, {40, 61440}, {41, 62976}, {56, 86016}};
  for (const auto& [tokens, bytes] : held) {
    EXPECT_EQ(kv_cache_bytes(alone, tokens, 2, release), bytes) << tokens;
    EXPECT_EQ(kv_cache_bytes(both, tokens, 2, release), 2 * bytes) << tokens;
  }
}

// RecurrentGemmaForCausalLM of 4.40.2 held this in its modules for two sequences, after 12 tokens as after 40.
TEST(KvCache, StatesThatLieInTheModules) {
  const std::string common =
      R"({"model_type":"recurrent_gemma","vocab_size":97,"hidden_size":64,"intermediate_size":96,)"
      R"("num_attention_heads":8,"num_key_value_heads":2,"head_dim":8,"lru_width":80,"conv1d_width":4,)"
      R"("block_types":["recurrent","recurrent","attention"],)";
  const kb::Release release{4, 40, 2};
  const std::pair<const char*, std::uint64_t> held[] = {
      {R"("num_hidden_layers":6,"attention_window_size":16})", 10496},
      {R"("num_hidden_layers":7,"attention_window_size":64})", 24384}};
  for (const auto& [rest, bytes] : held) {
    const std::string config = common + rest;
    const Model model = model_with(config.c_str(), "AutoModelForCausalLM", release);
    EXPECT_EQ(kv_cache_bytes(model, 12, 2, release), bytes);
    EXPECT_EQ(kv_cache_bytes(model, 40, 2, release), bytes);
  }
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
