// Folders as people have them: safetensors in one file and in shards, .bin with an index, the hub cache, damaged ones.
#include "fixer/model/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fixer/model/hub_cache.h"
#include "model_fixture.h"

namespace whyfail::fixer {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// The shapes of a llama checkpoint; a file has a real header and a hole for its data.
Json llama_tensors(std::uint64_t hidden, std::uint64_t inner, int layers, std::uint64_t vocabulary) {
  Json shapes;
  shapes["model.embed_tokens.weight"] = {vocabulary, hidden};
  shapes["model.norm.weight"] = {hidden};
  shapes["lm_head.weight"] = {vocabulary, hidden};
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    for (const char* const name : {"q", "k", "v", "o"}) {
      shapes[layer + "self_attn." + name + "_proj.weight"] = {hidden, hidden};
    }
    shapes[layer + "mlp.gate_proj.weight"] = {inner, hidden};
    shapes[layer + "mlp.up_proj.weight"] = {inner, hidden};
    shapes[layer + "mlp.down_proj.weight"] = {hidden, inner};
    shapes[layer + "input_layernorm.weight"] = {hidden};
    shapes[layer + "post_attention_layernorm.weight"] = {hidden};
  }
  return shapes;
}

void write_safetensors(const fs::path& path, const Json& shapes) {
  Json header;
  std::uint64_t end = 0;
  for (const auto& [name, shape] : shapes.items()) {
    std::uint64_t bytes = 2;
    for (const Json& length : shape) bytes *= length.get<std::uint64_t>();
    header[name] = {{"dtype", "F16"}, {"shape", shape}, {"data_offsets", {end, end + bytes}}};
    end += bytes;
  }
  const std::string text = header.dump();
  std::string prefix;
  for (std::uint64_t i = 0, length = text.size(); i < 8; ++i) prefix += static_cast<char>(length >> (8 * i) & 0xFFU);
  std::ofstream(path, std::ios::binary) << prefix << text;
  fs::resize_file(path, prefix.size() + text.size() + end);
}

class CheckpointFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("whyfail_model_" + std::to_string(getpid()));
    fs::create_directories(folder_ / "models/llama");
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path model() const { return folder_ / "models/llama"; }
  void write_config(const std::string& more = "") const {
    std::ofstream(model() / "config.json")
        << R"({"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":64,"intermediate_size":96,)"
        << R"("num_hidden_layers":3,"num_attention_heads":4,"num_key_value_heads":4,"vocab_size":100,)"
        << R"("tie_word_embeddings":false,"torch_dtype":"float16")" << more << "}";
  }
  ModelQuery query(const char* release, const std::string& name = "models/llama") const {
    ModelQuery result;
    result.name = name;
    result.working_folder = folder_;
    result.transformers = *kb::Release::parse(release);
    return result;
  }
  Model found(const ModelQuery& asked) const {
    auto result = find_model(asked, model_data());
    if (auto* none = std::get_if<NoModel>(&result)) {
      ADD_FAILURE() << none->why;
      return {};
    }
    return std::get<Model>(std::move(result));
  }

  fs::path folder_;
};

constexpr std::uint64_t weights = 2 * 100 * 64 + 64 + 3 * (4 * 64 * 64 + 3 * 64 * 96 + 2 * 64);

TEST_F(CheckpointFolder, OneFile) {
  write_config();
  write_safetensors(model() / "model.safetensors", llama_tensors(64, 96, 3, 100));
  const Model model = found(query("4.57.6"));
  EXPECT_EQ(model.origin, "checkpoint");
  EXPECT_TRUE(model.exact);
  EXPECT_TRUE(model.safetensors);
  EXPECT_EQ(model.architecture, "llama");
  EXPECT_EQ(model.parameters, weights);
  EXPECT_EQ(model.dtype, DType::float32);  // 4.x loads in float32 when no dtype is given
  EXPECT_EQ(model.stored_dtype, DType::float16);
  EXPECT_EQ(model.bytes, 4 * weights + 4 * 8);  // and one float32 buffer of 8
  EXPECT_EQ(model.facts.class_name, "LlamaForCausalLM");
  EXPECT_EQ(model.facts.no_split, std::vector<std::string>{"LlamaDecoderLayer"});
  EXPECT_EQ(model.layers, 3);
  EXPECT_EQ(model.key_value_heads, 4);
  EXPECT_EQ(model.head_dim, 16);
}

TEST_F(CheckpointFolder, TheNewDefaultIsTheConfigsDtype) {
  write_config();
  EXPECT_EQ(found(query("5.5.0")).dtype, DType::float16);
  ModelQuery asked = query("4.44.2");
  asked.dtype_auto = true;
  EXPECT_EQ(found(asked).dtype, DType::float16);
  asked.dtype_auto = false;
  asked.quantized = true;
  EXPECT_EQ(found(asked).dtype, DType::float16);
  asked.dtype = DType::bfloat16;
  EXPECT_EQ(found(asked).dtype, DType::bfloat16);
}

TEST_F(CheckpointFolder, Shards) {
  write_config();
  const Json all = llama_tensors(64, 96, 3, 100);
  Json first, second, map;
  for (const auto& [name, shape] : all.items()) {
    const bool early = name < "model.layers.1";
    (early ? first : second)[name] = shape;
    map[name] = early ? "model-00001-of-00002.safetensors" : "model-00002-of-00002.safetensors";
  }
  write_safetensors(model() / "model-00001-of-00002.safetensors", first);
  write_safetensors(model() / "model-00002-of-00002.safetensors", second);
  std::ofstream(model() / "model.safetensors.index.json")
      << Json{{"metadata", {{"total_size", 1}}}, {"weight_map", map}};
  EXPECT_EQ(found(query("4.57.6")).parameters, weights);
  EXPECT_EQ(found(query("4.57.6")).origin, "checkpoint");

  fs::remove(model() / "model-00002-of-00002.safetensors");
  const Model model = found(query("4.57.6"));
  EXPECT_EQ(model.note, "model-00002-of-00002.safetensors is missing (model.safetensors.index.json names it)");
  EXPECT_EQ(model.parameters, weights);
}

TEST_F(CheckpointFolder, TorchFiles) {
  write_config();
  std::ofstream(model() / "pytorch_model.bin.index.json")
      << R"({"metadata":{"total_size":5000},"weight_map":{"lm_head.weight":"pytorch_model-00001-of-00001.bin"}})";
  const Model model = found(query("4.44.2"));
  EXPECT_FALSE(model.safetensors);
  EXPECT_TRUE(model.exact);
  EXPECT_EQ(model.parameters, weights);
  EXPECT_EQ(model.origin, "config");
}

TEST_F(CheckpointFolder, HeadersWinOverAConfigThatDisagrees) {
  write_config();
  Json shapes = llama_tensors(64, 96, 3, 100);
  shapes["lm_head.weight"] = {120, 64};
  write_safetensors(model() / "model.safetensors", shapes);
  const Model model = found(query("4.57.6"));
  EXPECT_FALSE(model.exact);
  EXPECT_EQ(model.parameters, weights + 20 * 64);
  EXPECT_EQ(model.note, "the checkpoint's size of lm_head.weight is not what config.json says; the checkpoint counts");
}

TEST_F(CheckpointFolder, UnknownTypesAreReadFromHeaders) {
  std::ofstream(model() / "config.json") << R"({"model_type":"homegrown","torch_dtype":"float16"})";
  write_safetensors(model() / "model.safetensors", llama_tensors(64, 96, 3, 100));
  const Model model = found(query("5.5.0"));
  EXPECT_FALSE(model.exact);
  EXPECT_EQ(model.parameters, weights);
  EXPECT_EQ(model.bytes, 2 * weights);
  EXPECT_FALSE(model.facts.no_split.has_value());
}

TEST_F(CheckpointFolder, DamageIsSaid) {
  write_config();
  std::ofstream(model() / "model.safetensors") << "rubbish";
  EXPECT_EQ(found(query("4.57.6")).note, "model.safetensors: is shorter than a safetensors header");
  std::ofstream(model() / "config.json") << "{";
  const auto none = find_model(query("4.57.6"), model_data());
  EXPECT_EQ(std::get<NoModel>(none).why, "config.json of 'models/llama' is not JSON");
}

TEST_F(CheckpointFolder, ABillionLayersIsOneLine) {
  std::ofstream(model() / "config.json") << R"({"model_type":"llama","num_hidden_layers":1000000000})";
  const auto none = find_model(query("4.57.6"), model_data());
  EXPECT_EQ(std::get<NoModel>(none).why, "config.json: num_hidden_layers is 1000000000, which no model has");
}

TEST_F(CheckpointFolder, HubCache) {
  const fs::path cached = folder_ / "hub/models--some--llama";
  fs::create_directories(cached / "snapshots/abc123");
  fs::create_directories(cached / "refs");
  std::ofstream(cached / "refs/main") << "abc123\n";
  write_config();
  fs::create_directories(cached / "blobs");
  fs::rename(model() / "config.json", cached / "blobs/0f");
  fs::create_symlink("../../blobs/0f", cached / "snapshots/abc123/config.json");
  ModelQuery asked = query("4.57.6", "some/llama");
  asked.cache_folders = {folder_ / "nothing", folder_ / "hub"};
  EXPECT_EQ(found(asked).parameters, weights);
  EXPECT_EQ(cached_snapshot("some/llama", "", asked.cache_folders), cached / "snapshots/abc123");
  EXPECT_FALSE(cached_snapshot("../llama", "", asked.cache_folders));
  EXPECT_FALSE(cached_snapshot("some/llama", "../../..", asked.cache_folders));
  asked.working_folder.clear();  // no file is touched
  EXPECT_TRUE(std::holds_alternative<NoModel>(find_model(asked, model_data())));
}

// A folder is what it holds, whatever it is called; only without one does the name count.
TEST_F(CheckpointFolder, FolderNamedLikeAKnownModel) {
  write_config();
  fs::rename(model(), folder_ / "Llama-2-7b-hf");
  const Model local = found(query("4.57.6", "Llama-2-7b-hf"));
  EXPECT_EQ(local.parameters, weights);
  EXPECT_EQ(local.origin, "config");
  ModelQuery elsewhere = query("4.57.6", "Llama-2-7b-hf");
  elsewhere.working_folder = folder_ / "models";
  EXPECT_EQ(found(elsewhere).origin, "catalogue");
}

// Layers that are stored packed take what the headers say; the others stay.
TEST_F(CheckpointFolder, PackedLayersAreTakenFromTheHeaders) {
  Json shapes = llama_tensors(64, 96, 3, 100);
  for (int i = 0; i < 3; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".mlp.down_proj.";
    shapes.erase(layer + "weight");
    shapes[layer + "qweight"] = {24, 64};
    shapes[layer + "scales"] = {3, 64};
  }
  write_config(R"(,"quantization_config":{"quant_method":"hqq"})");
  write_safetensors(model() / "model.safetensors", shapes);
  ModelQuery asked = query("4.57.6");
  asked.dtype = DType::float16;
  const Model packed = found(asked);
  const std::uint64_t frequencies = 8 * 4;
  EXPECT_EQ(packed.bytes, 2 * (weights - 3 * 64 * 96 + 3 * (24 * 64 + 3 * 64)) + frequencies);
  EXPECT_EQ(packed.quantizer, "hqq");
  EXPECT_TRUE(packed.packed);
  EXPECT_EQ(found(query("4.57.6")).quantizer, "hqq");  // in float32, what is not packed
  fs::remove(model() / "model.safetensors");
  EXPECT_EQ(found(query("4.57.6")).bytes, 0U);
}

TEST_F(CheckpointFolder, OtherClassesOfTheType) {
  write_config(R"(,"id2label":{"0":"a","1":"b","2":"c"})");
  ModelQuery asked = query("4.44.2");
  asked.auto_class = "AutoModelForSequenceClassification";
  const Model classifier = found(asked);
  EXPECT_EQ(classifier.facts.class_name, "LlamaForSequenceClassification");
  EXPECT_EQ(classifier.parameters, weights - 100 * 64 + 3 * 64);
  asked.auto_class = "AutoModel";
  EXPECT_EQ(found(asked).parameters, weights - 100 * 64);
}

}  // namespace
}  // namespace whyfail::fixer
