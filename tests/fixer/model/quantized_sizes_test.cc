// Packed layers against the tensors that the libraries' own layers hold, and models that are quantized already.
#include <gtest/gtest.h>

#include <fstream>

#include "fixer/model/from_config.h"
#include "fixer/placement/quantized_bytes.h"
#include "model_fixture.h"

namespace whyfail::fixer {
namespace {

struct Held {
  const char* name;
  std::uint64_t rows, elements;
  DType dtype;
};

void expect_held(const std::vector<Tensor>& tensors, const std::vector<Held>& held) {
  ASSERT_EQ(tensors.size(), held.size());
  for (std::size_t i = 0; i < held.size(); ++i) {
    EXPECT_EQ(tensors[i].name, held[i].name);
    EXPECT_EQ(tensors[i].rows, held[i].rows) << held[i].name;
    EXPECT_EQ(tensors[i].elements, held[i].elements) << held[i].name;
    EXPECT_EQ(tensors[i].dtype, held[i].dtype) << held[i].name;
  }
}

// FP8Linear of transformers 5.23.0 and 4.57.6, made with these sizes.
TEST(QuantizedSizes, Fp8) {
  const DType weights = DType::float8_e4m3;
  expect_held(fp8_tensors(256, 512, 128, 128),
              {{"weight", 256, 256 * 512, weights}, {"weight_scale_inv", 2, 2 * 4, DType::float32}});
  expect_held(fp8_tensors(100, 300, 128, 128),
              {{"weight", 100, 100 * 300, weights}, {"weight_scale_inv", 1, 3, DType::float32}});
  EXPECT_EQ(fp8_bytes(256, 512), 256ULL * 512 + 4 * 2 * 4);
  EXPECT_EQ(fp8_bytes(100, 300), 100ULL * 300 + 4 * 3);
  expect_held(fp8_tensors(1000, 260, 64, 128),
              {{"weight", 1000, 1000 * 260, weights}, {"weight_scale_inv", 16, 16 * 3, DType::float32}});
  expect_held(fp8_tensors(64, 64, 0, 0),
              {{"weight", 64, 64 * 64, weights}, {"weight_scale_inv", 1, 1, DType::float32}});
}

// Mxfp4GptOssExperts of transformers 4.57.6: blocks (4, 5760, 90, 16) and scales (4, 5760, 90) of one byte each; blocks
// (2, 96, 2, 16) and scales (2, 96, 2).
TEST(QuantizedSizes, Mxfp4) {
  EXPECT_EQ(mxfp4_bytes(4 * 5760, 2880), 4ULL * 5760 * 90 * 17);
  EXPECT_EQ(mxfp4_bytes(2 * 96, 64), 2ULL * 96 * 2 * 17);
}

// The shapes that auto_gptq 0.7.1 registers for 11008 inputs, 4096 outputs.
TEST(QuantizedSizes, Gptq) {
  const DType packed = DType::int32;
  expect_held(gptq_tensors(4096, 11008, 4, 128), {{"qweight", 1376, 1376ULL * 4096, packed},
                                                  {"qzeros", 86, 86 * 512, packed},
                                                  {"scales", 86, 86 * 4096, DType::float16},
                                                  {"g_idx", 11008, 11008, packed}});
  expect_held(gptq_tensors(64, 96, 8, 0), {{"qweight", 24, 24 * 64, packed},
                                           {"qzeros", 1, 16, packed},
                                           {"scales", 1, 64, DType::float16},
                                           {"g_idx", 96, 96, packed}});
  EXPECT_TRUE(gptq_tensors(33, 96, 4, 128).empty());
}

// The shapes that autoawq 0.2.6 registers for 11008 inputs, 4096 outputs.
TEST(QuantizedSizes, Awq) {
  expect_held(awq_tensors(4096, 11008, 128), {{"qweight", 11008, 11008ULL * 512, DType::int32},
                                              {"qzeros", 86, 86 * 512, DType::int32},
                                              {"scales", 86, 86 * 4096, DType::float16}});
  EXPECT_TRUE(awq_tensors(4096, 100, 128).empty());
}

std::uint64_t bytes_of(const std::vector<Tensor>& tensors) {
  std::uint64_t bytes = 0;
  for (const Tensor& tensor : tensors) bytes += tensor.elements * (tensor.dtype == DType::int32 ? 4 : 2);
  return bytes;
}

// packed_layers.tsv: library, bits, group (-1: a row; 0: the library chooses), inputs, outputs, and the bytes of all
// tensors of the layer that the library made of these, without bias. gptq: auto_gptq 0.7.1 exllama, exllamav2, cuda,
// cuda_old and triton, and gptqmodel 7.3.4 with and without desc_act, all the same where they take the sizes; awq:
// autoawq 0.2.6 gemm, exllama, exllamav2 and gptqmodel 7.3.4; optimum-quanto 0.2.7 and torchao 0.18.0 in bfloat16.
TEST(QuantizedSizes, LayersAreWhatTheLibrariesMake) {
  std::ifstream file(std::string(WHYFAIL_SOURCE_DIR) + "/tests/fixer/model/packed_layers.tsv");
  int layers = 0;
  std::string library;
  std::int64_t group = 0;
  for (std::uint64_t bits, inputs, outputs, held; file >> library >> bits >> group >> inputs >> outputs >> held;) {
    const std::uint64_t shared = group < 0 ? 0 : static_cast<std::uint64_t>(group);
    const std::uint64_t bytes = library == "gptq"     ? bytes_of(gptq_tensors(outputs, inputs, bits, shared))
                                : library == "awq"    ? bytes_of(awq_tensors(outputs, inputs, shared))
                                : library == "quanto" ? quanto_bytes(outputs, inputs, bits, 2)
                                                      : torchao_int8_bytes(outputs, inputs);
    EXPECT_EQ(bytes, held) << library << ", " << bits << " bits, groups of " << group << ", " << inputs << " x "
                           << outputs;
    ++layers;
  }
  EXPECT_EQ(layers, 135);
}

Model model_of(const std::string& name, const std::string& quantization) {
  ModelQuery query;
  query.name = name;
  query.transformers = {4, 57, 6};
  query.dtype = DType::float16;
  if (quantization.empty()) return std::get<Model>(find_model(query, model_data()));
  const std::string config =
      R"({"model_type":"llama","vocab_size":320,"hidden_size":128,"intermediate_size":352,"num_hidden_layers":3,)"
      R"("num_attention_heads":4,"num_key_value_heads":2,"tie_word_embeddings":false,"quantization_config":)" +
      quantization + "}";
  return std::get<Model>(model_from_config(query, model_data(), config, nullptr, "config"));
}

struct WholeModel {
  const char* class_name;
  const char* config;
  std::uint64_t quantized[3];  // 4 bits, with double quantization, 8 bits
  std::uint64_t rest;          // parameters left as they are, in bfloat16, and buffers
};

// bitsandbytes 0.50.2 and transformers 5.23.0 on the CPU: the packed weights with their state, and what was left.
constexpr WholeModel kWholeModels[] = {
    {"LlamaForCausalLM",
     R"("model_type":"llama","vocab_size":320,"hidden_size":128,"intermediate_size":352,"num_hidden_layers":3,)"
     R"("num_attention_heads":4,"num_key_value_heads":2,"tie_word_embeddings":false)",
     {312384, 308208, 567552},
     165632 + 128},
    {"LlamaForCausalLM",
     R"("model_type":"llama","vocab_size":320,"hidden_size":128,"intermediate_size":352,"num_hidden_layers":2,)"
     R"("num_attention_heads":4,"num_key_value_heads":2,"tie_word_embeddings":true)",
     {208256, 205472, 378368},
     83200 + 128},
    {"GPT2LMHeadModel",
     R"("model_type":"gpt2","vocab_size":320,"n_embd":128,"n_layer":2,"n_head":4,"n_positions":64)",
     {221696, 211584, 402432},
     105472},
    {"T5ForConditionalGeneration",
     R"("model_type":"t5","vocab_size":320,"d_model":128,"d_kv":32,"d_ff":256,"num_layers":2,"num_heads":4)",
     {296704, 301040, 540672},
     347648},
};

TEST(QuantizedSizes, WholeModelsOfBitsandbytes) {
  const char* const options[] = {R"("load_in_4bit":true)", R"("load_in_4bit":true,"bnb_4bit_use_double_quant":true)",
                                 R"("load_in_8bit":true)"};
  for (const WholeModel& whole : kWholeModels) {
    for (std::size_t i = 0; i < 3; ++i) {
      ModelQuery query;
      query.name = "m";
      query.auto_class = whole.class_name;
      query.transformers = {5, 23, 0};
      query.dtype = DType::bfloat16;
      const std::string config = std::string("{") + whole.config +
                                 R"(,"quantization_config":{"quant_method":"bitsandbytes",)" + options[i] + "}}";
      const auto model = std::get<Model>(model_from_config(query, model_data(), config, nullptr, "config"));
      EXPECT_EQ(model.bytes, whole.quantized[i] + whole.rest) << whole.class_name << " " << options[i];
    }
  }
}

TEST(QuantizedSizes, StatedOptionsAreExact) {
  const Model model = model_of("m", R"({"quant_method":"gptq","bits":4,"group_size":32})");
  EXPECT_TRUE(model.exact) << model.note;
  EXPECT_TRUE(model.packed);
  EXPECT_EQ(model.quantizer, "gptq");
  const Model other = model_of("m", R"({"quant_method":"awq","bits":4,"group_size":32,"version":"gemv"})");
  EXPECT_TRUE(other.tree.root.children.empty()) << "another layout has other buffers";
  const Model assumed = model_of("m", R"({"quant_method":"gptq","bits":4})");
  EXPECT_FALSE(assumed.exact);
  EXPECT_NE(assumed.note.find("assumed"), std::string::npos);
}

// No size is claimed of what does not say how it is packed.
TEST(QuantizedSizes, NotKnownIsSaid) {
  for (const char* const name : {"TheBloke/Llama-2-7B-GGUF", "mlx-community/Meta-Llama-3.1-8B-Instruct-4bit",
                                 "01-ai/Yi-34B-Chat-4bits", "turboderp/Llama-3-70B-exl2", "acme/Wonder-13B-GGUF"}) {
    const Model model = model_of(name, "");
    EXPECT_EQ(model.bytes, 0U) << name;
    EXPECT_TRUE(model.tree.root.children.empty()) << name;
    EXPECT_NE(model.note.find("not known"), std::string::npos) << name << ": " << model.note;
  }
  for (const char* const name : {"TheBloke/Llama-2-7B-GPTQ", "TheBloke/Llama-2-7B-AWQ", "x/llama-2-7b-bnb-4bit"}) {
    const Model model = model_of(name, "");
    EXPECT_LT(model.bytes, 5'000'000'000U) << name;
    EXPECT_GT(model.bytes, 3'000'000'000U) << name;
    EXPECT_FALSE(model.exact) << name;
  }
}

}  // namespace
}  // namespace whyfail::fixer
