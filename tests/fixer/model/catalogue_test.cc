#include "fixer/model/catalogue.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model_fixture.h"

namespace whyfail::fixer {
namespace {

Model known(const std::string& name, const char* release = "4.57.6") {
  ModelQuery query;
  query.name = name;
  query.transformers = *kb::Release::parse(release);
  query.dtype_auto = true;
  auto found = find_model(query, model_data());
  if (auto* none = std::get_if<NoModel>(&found)) {
    ADD_FAILURE() << name << ": " << none->why;
    return {};
  }
  return std::get<Model>(std::move(found));
}

TEST(Catalogue, AnyLetterCase) {
  const Model model = known("META-LLAMA/llama-2-7B-HF");
  EXPECT_EQ(model.parameters, 6738415616U);
  EXPECT_EQ(model.origin, "catalogue");
  EXPECT_TRUE(model.exact);
  EXPECT_EQ(model.dtype, DType::float16);
}

TEST(Catalogue, LocalFolderNames) {
  EXPECT_EQ(known("C:/models/Llama-3-70B-Instruct").parameters, 70553706496U);
  EXPECT_EQ(known("C:\\models\\Meta-Llama-3-8B").parameters, 8030261248U);
  EXPECT_EQ(known("/data/hub/models--mistralai--Mistral-7B-v0.1/snapshots/26bca36").parameters, 7241732096U);
}

TEST(Catalogue, QuantizedCopies) {
  const Model awq = known("TheBloke/Llama-2-13B-chat-AWQ");
  EXPECT_EQ(awq.parameters, 13015864320U);
  EXPECT_EQ(awq.quantization, "awq");
  EXPECT_FALSE(awq.exact);
  EXPECT_EQ(known("unsloth/Qwen2.5-7B-Instruct-bnb-4bit").quantization, "bitsandbytes");
  EXPECT_EQ(known("someone/Meta-Llama-3.1-70B-Instruct-FP8").quantization, "fp8");
  EXPECT_EQ(known("openai/gpt-oss-20b").quantization, "mxfp4");
}

TEST(Catalogue, ForksAreSaidToBeForks) {
  const Model model = known("someone/Llama-3-8B-Instruct-Gradient-1048k");
  EXPECT_EQ(model.parameters, 8030261248U);
  EXPECT_FALSE(model.exact);
  EXPECT_TRUE(model.note.starts_with("taken for ")) << model.note;
}

TEST(Catalogue, TheNamesOwnFigure) {
  EXPECT_EQ(parameters_in_name("acme/Wonder-70B"), 70000000000U);
  EXPECT_EQ(parameters_in_name("wonder-1.5b-chat"), 1500000000U);
  EXPECT_EQ(parameters_in_name("wonder-350m"), 350000000U);
  EXPECT_EQ(parameters_in_name("wonder-8x7B"), 56000000000U);
  EXPECT_FALSE(parameters_in_name("wonder-4bit"));
  EXPECT_FALSE(parameters_in_name("v2b3-model7"));
  EXPECT_FALSE(parameters_in_name("wonder"));
  const Model model = known("acme/Wonder-70B");
  EXPECT_EQ(model.origin, "name");
  EXPECT_FALSE(model.exact);
  EXPECT_EQ(model.bytes, 140000000000U);
  EXPECT_TRUE(model.tree.root.children.empty());
}

TEST(Catalogue, UnknownIsUnknown) {
  ModelQuery query;
  query.name = "acme/wonder";
  query.transformers = {4, 44, 2};
  const auto found = find_model(query, model_data());
  EXPECT_EQ(std::get<NoModel>(found).why, "no folder or known id 'acme/wonder'");
}

// Parameter counts as their makers state them, in millions or billions as rounded there.
struct Published {
  const char* id;
  double parameters;
  double tolerance;
};

TEST(Catalogue, ReproducesPublishedCounts) {
  const Published rows[] = {
#include "published_counts.inc"
  };
  EXPECT_GE(std::size(rows), 60U);
  for (const Published& row : rows) {
    const auto counted = static_cast<double>(known(row.id, "5.23.0").parameters);
    EXPECT_LE(std::abs(counted - row.parameters), row.tolerance) << row.id << " has " << counted;
  }
}

}  // namespace
}  // namespace whyfail::fixer
