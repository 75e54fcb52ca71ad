// Copies what the cache formulas of kv_cache.cc ask for.
#include "fixer/model/cache_facts.h"

namespace whyfail::fixer {

namespace {

// Fields of all families; each formula reads the few that its family has.
constexpr const char* wanted[] = {"num_hidden_layers",
                                  "n_layer",
                                  "n_layers",
                                  "num_layers",
                                  "num_decoder_layers",
                                  "decoder_layers",
                                  "num_attention_heads",
                                  "n_head",
                                  "n_heads",
                                  "num_heads",
                                  "decoder_attention_heads",
                                  "encoder_layers",
                                  "num_key_value_heads",
                                  "num_kv_heads",
                                  "head_dim",
                                  "d_kv",
                                  "hidden_size",
                                  "n_embd",
                                  "d_model",
                                  "sliding_window",
                                  "use_sliding_window",
                                  "max_window_layers",
                                  "sliding_window_pattern",
                                  "multi_query",
                                  "new_decoder_architecture",
                                  "attention_chunk_size",
                                  "kv_lora_rank",
                                  "qk_rope_head_dim",
                                  "qk_nope_head_dim",
                                  "v_head_dim",
                                  "expand",
                                  "mamba_expand",
                                  "conv_kernel",
                                  "mamba_d_conv",
                                  "state_size",
                                  "mamba_d_state",
                                  "n_groups",
                                  "mamba_n_groups",
                                  "num_heads",
                                  "mamba_n_heads",
                                  "mamba_d_head",
                                  "mamba_d_ssm",
                                  "n_mamba_heads",
                                  "ssm_state_size",
                                  "mamba_num_heads",
                                  "mamba_head_dim",
                                  "attn_layer_period",
                                  "attn_layer_offset",
                                  "attention_head_dim",
                                  "linear_num_key_heads",
                                  "linear_key_head_dim",
                                  "linear_num_value_heads",
                                  "linear_value_head_dim",
                                  "linear_conv_kernel_dim",
                                  "full_attention_interval",
                                  "conv_L_cache",
                                  "attention_hidden_size",
                                  "num_kv_shared_layers",
                                  "lru_width",
                                  "conv1d_width",
                                  "attention_window_size"};

std::optional<ConfigValue> part_field(const CompletedConfig& config, const std::string& part, const std::string& name) {
  return config.field(part.empty() ? name : part + "." + name);
}

std::vector<std::string> text_list(const std::optional<ConfigValue>& value) {
  std::vector<std::string> result;
  if (!value) return result;
  const auto* list = std::get_if<std::shared_ptr<const ValueList>>(&value->is);
  if (!list) return result;
  for (const ConfigValue& item : **list) {
    if (const auto* text = std::get_if<std::string>(&item.is)) result.push_back(*text);
  }
  return result;
}

}  // namespace

CacheFacts cache_facts(const CompletedConfig& config, const SizeTemplate& size_template,
                       const std::string& model_type) {
  CacheFacts facts;
  const std::string text_type = size_template.part_type("text_config");
  const std::string part = text_type.empty() ? "" : "text_config";
  facts.family = text_type.empty() ? model_type : text_type;
  if (const auto own = part_field(config, part, "model_type")) {
    if (const auto* text = std::get_if<std::string>(&own->is); text && !text->empty()) facts.family = *text;
  }
  for (const char* const name : wanted) {
    const auto value = part_field(config, part, name);
    const auto number = value ? whole_number(*value) : std::nullopt;
    if (number) facts.numbers[name] = *number;
  }
  if (const auto indices = part_field(config, part, "attn_layer_indices")) {
    const auto* list = std::get_if<std::shared_ptr<const ValueList>>(&indices->is);
    if (list) facts.numbers["attention_layers"] = static_cast<std::int64_t>((*list)->size());
  }
  for (const char* const name : {"layer_types", "layers_block_type"}) {
    if (facts.layer_types.empty()) facts.layer_types = text_list(part_field(config, part, name));
  }
  if (const auto pattern = part_field(config, part, "hybrid_override_pattern")) {
    if (const auto* text = std::get_if<std::string>(&pattern->is)) facts.layer_pattern = *text;
  }
  return facts;
}

}  // namespace whyfail::fixer
