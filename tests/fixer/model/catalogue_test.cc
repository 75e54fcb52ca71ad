#include "fixer/model/catalogue.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

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

// No copy in another form is taken for the plain model, and a width alone does not tell the method.
TEST(Catalogue, WhatTheNameSaysAboutQuantization) {
  const std::pair<const char*, const char*> names[] = {{"TheBloke/Llama-2-70B-Chat-GGUF", "gguf"},
                                                       {"Mistral-7B-Instruct-v0.3.Q4_K_M.gguf", "gguf"},
                                                       {"google/gemma-3-27b-it-qat-q4_0-gguf", "gguf"},
                                                       {"turboderp/Llama-3-70B-exl2", "exl2"},
                                                       {"ISTA-DASLab/Meta-Llama-3-70B-AQLM-2Bit-1x16", "aqlm"},
                                                       {"mlx-community/Meta-Llama-3-8B-Instruct-4bit", "mlx"},
                                                       {"01-ai/Yi-34B-Chat-4bits", "unknown"},
                                                       {"unsloth/mistral-7b-bnb-4bit", "bitsandbytes"},
                                                       {"Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4", "gptq"},
                                                       {"hugging-quants/Meta-Llama-3.1-405B-Instruct-AWQ-INT4", "awq"},
                                                       {"RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic", "fp8"},
                                                       {"C:\\models\\Meta-Llama-3-8B", ""},
                                                       {"meta-llama/Llama-2-7b-chat-hf", ""}};
  for (const auto& [name, method] : names) EXPECT_EQ(quantization_in_name(name), method) << name;
  EXPECT_EQ(known("unsloth/mistral-7b-bnb-4bit").quantization, "bitsandbytes");
  EXPECT_EQ(known("bartowski/Meta-Llama-3.1-8B-Instruct-GGUF").quantization, "gguf");
}

// A sister of a known model is not the known model: its figure counts, or nothing.
TEST(Catalogue, SistersAreNotTakenForOneAnother) {
  for (const char* const name :
       {"meta-llama/Llama-3.2-11B-Vision-Instruct", "Qwen/Qwen2.5-VL-7B-Instruct", "Qwen/Qwen2-VL-72B-Instruct",
        "Qwen/Qwen3-VL-8B-Instruct", "mistralai/Mistral-Small-3.1-24B-Instruct-2503", "mistralai/Pixtral-12B-2409",
        "deepseek-ai/deepseek-vl-7b-chat", "tiiuae/falcon-mamba-7b", "meta-llama/Llama-Guard-3-1B",
        "llava-hf/llava-v1.6-mistral-7b-hf", "output/Qwen2.5-7B-sft/checkpoint-500"}) {
    EXPECT_FALSE(look_up(name, model_data())) << name;
    EXPECT_EQ(known(name).origin, "name") << name;
  }
  for (const char* const name :
       {"deepseek-ai/DeepSeek-V2.5", "microsoft/Phi-3.5-vision-instruct", "checkpoint-1000",
        "meta-llama/Llama-4-Scout-17B-16E-Instruct", "sentence-transformers/all-MiniLM-L6-v2"}) {
    ModelQuery query;
    query.name = name;
    EXPECT_TRUE(std::holds_alternative<NoModel>(find_model(query, model_data()))) << name;
  }
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
  EXPECT_EQ(parameters_in_name("wonder-moe-1B-7B-0125"), 7000000000U);
  EXPECT_FALSE(parameters_in_name("wonder-17B-16E"));
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

std::vector<std::vector<std::string>> tab_separated(const std::string& name) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream file(std::string(WHYFAIL_SOURCE_DIR) + "/tests/fixer/model/" + name);
  for (std::string line; std::getline(file, line);) {
    std::istringstream text(line);
    rows.emplace_back();
    for (std::string field; std::getline(text, field, '\t');) rows.back().push_back(field);
  }
  return rows;
}

Model built(const std::string& id, const std::string& release, const std::string& class_name, DType dtype) {
  ModelQuery query;
  query.name = id;
  query.transformers = *kb::Release::parse(release);
  query.auto_class = class_name;
  query.dtype = dtype;
  auto found = find_model(query, model_data());
  if (auto* none = std::get_if<NoModel>(&found)) {
    ADD_FAILURE() << id << ": " << none->why;
    return {};
  }
  return std::get<Model>(std::move(found));
}

// published_counts.tsv: id, class ("-": the id's own), parameters, who published them.
TEST(Catalogue, ReproducesPublishedCounts) {
  const auto rows = tab_separated("published_counts.tsv");
  EXPECT_GE(rows.size(), 60U);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 4U);
    const Model model = built(row[0], "5.23.0", row[1] == "-" ? "" : row[1], DType::bfloat16);
    EXPECT_EQ(std::to_string(model.parameters), row[2]) << row[0] << ", " << row[3];
    EXPECT_EQ(model.exact, model.quantization.empty()) << row[0];  // packed or not depends on the GPU
  }
}

// catalogue_dumps.tsv: label of full-size trees in trees.tsv, and the id whose catalogue row must give the same trees.
// Before 4.44 the rotary buffers follow max_position_embeddings, which the dumped models left at the default.
TEST(Catalogue, ReproducesTheModuleDumps) {
  std::map<std::string, std::string> ids;
  for (const auto& row : tab_separated("catalogue_dumps.tsv")) ids[row.at(0)] = row.at(1);
  std::set<std::string> seen;
  for (const auto& row : tab_separated("trees.tsv")) {
    const auto id = ids.find(row.at(0));
    if (id == ids.end() || *kb::Release::parse(row.at(1)) < kb::Release{4, 44, 0}) continue;
    DType dtype = DType::float32;
    ASSERT_TRUE(parse_dtype(row.at(3), dtype));
    const Model model = built(id->second, row.at(1), row.at(2), dtype);
    EXPECT_EQ(std::to_string(crc32(tree_text(model.tree.root, false))), row.at(8))
        << id->second << ", transformers " << row.at(1);
    seen.insert(id->first);
  }
  EXPECT_EQ(seen.size(), ids.size());
}

}  // namespace
}  // namespace whyfail::fixer
