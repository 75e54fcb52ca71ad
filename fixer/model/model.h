// The model that a call loads: its module tree in the release at hand, and the facts that caches and costs need.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fixer/placement/place.h"
#include "kb/knowledge_base.h"
#include "kb/release.h"

namespace whyfail::fixer {

// What the KV cache depends on, as the config says it.
struct CacheFacts {
  std::string family;                           // model_type of the part that generates: "llama", "gemma3_text"
  std::map<std::string, std::int64_t> numbers;  // config fields by name, without the part: "num_key_value_heads"
  std::vector<std::string> layer_types;         // "full_attention", "sliding_attention", "mamba" …; empty: not given
  std::string layer_pattern;                    // nemotron_h: one letter a layer
};

struct Model {
  std::string id;            // as the call names it
  std::string architecture;  // config.json's model_type; empty when only the name is known
  std::uint64_t parameters = 0;
  std::uint64_t bytes = 0;              // as loaded: in `dtype`, packed where it is quantized already; 0: not known
  DType dtype = DType::float32;         // what the call, or else the release's default, loads it in
  DType stored_dtype = DType::float16;  // what the checkpoint or config says
  std::string origin;                   // "checkpoint", "config", "catalogue", "name"
  bool exact = false;  // tree reproduces the library's (checkpoint or exact template); else sizes are estimates
  std::uint64_t largest_file_bytes = 0;  // of a .bin checkpoint's files; 0: not known
  bool safetensors = true;               // the checkpoint's form, if it could be seen; catalogue: what the hub has
  bool converts_on_load = false;  // transformers 5 writes the weights in another form than stored (most MoE models)
  std::string quantization;       // quant_method of the config when the checkpoint is already quantized
  // How place() is told of it (LoadSettings); empty: not quantized, loaded as plain weights, or not known.
  std::string quantizer;
  bool packed = false;  // the tree has the packed tensors; else the plain ones, which the quantizer counts
  bool double_quantization = false;
  std::vector<std::string> skip_modules;  // names of the config that the quantizer leaves alone
  std::string note;  // why `exact` is false, or what of the checkpoint could not be read; may be empty
  ModuleTree tree;   // empty root class and no children: only `bytes` is known
  ClassFacts facts;  // keep_in_fp32 holds only what applies to `dtype`
  // For the KV cache; 0: not known.
  int layers = 0;
  int key_value_heads = 0;
  int head_dim = 0;
  int vocabulary = 0;
  bool last_token_logits = false;  // generate() makes logits of the last token only, not of the whole prompt
  int hidden_size = 0;
  CacheFacts cache;
};

struct ModelQuery {
  std::string name;                      // argument of the call: an id, a folder, a file
  std::filesystem::path working_folder;  // relative folders are looked up here; empty: touch no file
  // Hub caches of the machine (HF_HUB_CACHE, HF_HOME/hub, ~/.cache/huggingface/hub), looked through in this order.
  std::vector<std::filesystem::path> cache_folders;
  std::string revision;        // revision= of the call; empty: main
  std::string auto_class;      // "AutoModelForCausalLM", "LlamaForCausalLM" … empty: config.json's own
  std::optional<DType> dtype;  // dtype= / torch_dtype= of the call; none given: the release's default
  bool dtype_auto = false;     // dtype="auto"
  bool quantized = false;      // the call quantizes (bitsandbytes): 4.x then loads the rest in float16 by default
  kb::Release transformers;
};

struct NoModel {
  std::string why;  // "no folder or known id 'x'"
  std::string how;  // what the reader can give: "--model FOLDER"
};

// Looks at the folder (safetensors headers, index, config.json), the Hugging Face cache, the catalogue, then the name.
std::variant<Model, NoModel> find_model(const ModelQuery& query, const kb::KnowledgeBase& kb);

// Bytes of KV cache (and of recurrent state) for `batch` sequences of `context` tokens in the model's dtype; 0 when not
// known. Encoder-decoder models: `context` tokens on both sides. Formulas and the releases in which they changed:
// kv_cache.cc.
std::uint64_t kv_cache_bytes(const Model& model, std::uint64_t context, std::uint64_t batch,
                             const kb::Release& transformers);

}  // namespace whyfail::fixer
