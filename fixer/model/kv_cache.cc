// Bytes that generation keeps per sequence. Every formula was compared with the tensors of small real models in
// transformers 4.40.2, 4.48.3, 4.51.3, 4.57.6 and 5.23.0, at four lengths each, to the byte (position counters of a few
// bytes left out). Where a release changed a rule, it is one of CacheRules.
#include <algorithm>
#include <string_view>

#include "fixer/model/model.h"
#include "fixer/placement/cache_rules.h"

namespace whyfail::fixer {

namespace {

using Bytes = std::uint64_t;

// Config numbers are a stranger's: what no model has counts as not given, so that no product overflows.
constexpr std::int64_t largest_number = 10'000'000;

class Formula {
 public:
  Formula(const CacheFacts& facts, const CacheRules& rules, bool decoder_alone, Bytes width, Bytes tokens)
      : facts_(facts), rules_(rules), decoder_alone_(decoder_alone), width_(width), tokens_(tokens) {
    layers_ = first({"num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_layers"});
    heads_ = first({"num_attention_heads", "n_head", "n_heads", "num_heads", "decoder_attention_heads"});
    hidden_ = first({"hidden_size", "n_embd", "d_model"});
    key_value_heads_ = first({"num_key_value_heads", "num_kv_heads", "kv_n_heads"});
    if (key_value_heads_ == 0) key_value_heads_ = heads_;
    head_dim_ = first({"head_dim", "d_kv"});
    if (head_dim_ == 0 && heads_ > 0) head_dim_ = hidden_ / heads_;
    window_ = first({"sliding_window", "attention_chunk_size"});
  }

  Bytes bytes() const {
    const std::string_view family = facts_.family;
    if (layers_ == 0) return 0;
    if (family == "gptj") return gptj();
    if (family == "gpt_bigcode" && number("multi_query") != 0) return layers_ * 2 * head_dim_ * width_ * tokens_;
    if (family == "falcon") return falcon();
    if (family == "llama" && !rules_.llama_head_dim && heads_ > 0) return full(layers_, hidden_ / heads_);
    if (family == "deepseek_v2" || family == "deepseek_v3") return latent();
    if (family == "mamba" || family == "falcon_mamba") return mamba(family == "falcon_mamba");
    if (family == "mamba2") return mamba2();
    if (family == "bamba" || family == "granitemoehybrid") return bamba();
    if (family == "falcon_h1") return full(layers_) + layers_ * grouped_state(number("mamba_d_ssm"), true);
    if (family == "nemotron_h") return nemotron_h();
    if (family == "jamba") return jamba();
    if (family == "zamba") return zamba();
    if (family == "qwen3_next" || family == "qwen3_5_text") return delta_net();
    if (family == "lfm2") return lfm2();
    if (family == "minimax") return minimax();
    if (family == "recurrent_gemma") return recurrent_gemma();
    if (family == "rwkv") return layers_ * (2 * hidden_ * width_ + 3 * hidden_ * 4);
    if (has_encoder()) return encoder_decoder();
    if (family == "gemma3n_text" && !rules_.hybrid_layers_trimmed) return full(layers_);
    return windowed();
  }

 private:
  Bytes number(const char* name) const {
    const auto found = facts_.numbers.find(name);
    if (found == facts_.numbers.end() || found->second < 0 || found->second > largest_number) return 0;
    return static_cast<Bytes>(found->second);
  }
  Bytes first(std::initializer_list<const char*> names) const {
    for (const char* const name : names) {
      if (const Bytes found = number(name)) return found;
    }
    return 0;
  }
  // The model types of the library that keep keys and values of the encoder's output beside the decoder's own.
  bool has_encoder() const {
    static constexpr std::string_view families[] = {
        "t5",      "mt5",     "umt5",   "longt5",     "switch_transformers", "bart", "mbart",
        "pegasus", "m2m_100", "marian", "blenderbot", "blenderbot-small",    "mvp",  "plbart"};
    return std::find(std::begin(families), std::end(families), facts_.family) != std::end(families);
  }
  Bytes encoder_decoder() const {
    const Bytes own_heads = first({"decoder_attention_heads"});
    const Bytes heads = own_heads ? own_heads : heads_;
    const Bytes dim = first({"d_kv"}) ? first({"d_kv"}) : heads ? hidden_ / heads : 0;
    return (decoder_alone_ ? 1 : 2) * full(decoder_layers(), dim, heads);
  }
  Bytes decoder_layers() const {
    const Bytes own = first({"num_decoder_layers", "decoder_layers"});
    return own ? own : layers_;
  }
  Bytes count(std::initializer_list<std::string_view> kinds) const {
    return static_cast<Bytes>(
        std::count_if(facts_.layer_types.begin(), facts_.layer_types.end(),
                      [&](const auto& type) { return std::find(kinds.begin(), kinds.end(), type) != kinds.end(); }));
  }

  // Keys and values of full attention.
  Bytes full(Bytes layers) const { return full(layers, head_dim_); }
  Bytes full(Bytes layers, Bytes head_dim) const { return full(layers, head_dim, key_value_heads_); }
  Bytes full(Bytes layers, Bytes head_dim, Bytes heads) const {
    return layers * 2 * heads * head_dim * width_ * tokens_;
  }
  Bytes capped(Bytes layers, Bytes cap) const {
    return layers * 2 * key_value_heads_ * head_dim_ * width_ * std::min(tokens_, cap);
  }

  Bytes gptj() const {
    const Bytes key_width = rules_.float_gptj_keys ? 4 : width_;
    return layers_ * heads_ * head_dim_ * (key_width + width_) * tokens_;
  }
  Bytes falcon() const {
    const bool one_head = number("multi_query") != 0 && number("new_decoder_architecture") == 0;
    return full(layers_, head_dim_, one_head ? 1 : heads_);
  }
  Bytes latent() const {
    if (rules_.latent_kept) return layers_ * (number("kv_lora_rank") + number("qk_rope_head_dim")) * width_ * tokens_;
    const Bytes expanded = number("qk_nope_head_dim") + number("qk_rope_head_dim") + number("v_head_dim");
    return layers_ * heads_ * expanded * width_ * tokens_;
  }

  Bytes mamba(bool falcon) const {
    const Bytes inner = number("expand") * hidden_;
    const bool float_state = falcon ? rules_.float_falcon_states : rules_.float_states;
    return layers_ * inner * (number("conv_kernel") * width_ + number("state_size") * (float_state ? 4 : width_));
  }
  // Mixers with grouped states: the convolution's inputs, and one state a head.
  Bytes grouped_state(Bytes inner, bool always_float) const {
    const Bytes groups = first({"mamba_n_groups", "n_groups"});
    const Bytes state = first({"mamba_d_state", "state_size"});
    const Bytes kernel = first({"mamba_d_conv", "conv_kernel"});
    const Bytes heads = first({"mamba_n_heads", "num_heads"});
    const Bytes dim = first({"mamba_d_head", "head_dim"});
    const Bytes state_width = always_float || rules_.float_states ? 4 : width_;
    return (inner + 2 * groups * state) * kernel * width_ + heads * dim * state * state_width;
  }
  Bytes mamba2() const { return layers_ * grouped_state(number("expand") * hidden_, false); }
  Bytes bamba() const {
    const Bytes listed = count({"attention", "full_attention"});
    const Bytes attention = facts_.layer_types.empty() ? number("attention_layers") : listed;
    const Bytes mixers = layers_ - std::min(layers_, attention);
    return full(attention) + mixers * grouped_state(number("mamba_expand") * hidden_, false);
  }
  Bytes nemotron_h() const {
    const auto letters = [&](char letter) {
      return static_cast<Bytes>(std::count(facts_.layer_pattern.begin(), facts_.layer_pattern.end(), letter));
    };
    const Bytes inner = number("mamba_num_heads") * number("mamba_head_dim");
    const Bytes state = number("ssm_state_size");
    const Bytes mixer = (inner + 2 * number("n_groups") * state) * number("conv_kernel") * width_ +
                        inner * state * (rules_.float_states ? 4 : width_);
    return full(letters('*')) + letters('M') * mixer;
  }
  Bytes jamba() const {
    Bytes attention = count({"attention", "full_attention"});
    const Bytes period = number("attn_layer_period");
    if (facts_.layer_types.empty() && period > 0) {
      for (Bytes i = 0; i < layers_; ++i) attention += i % period == number("attn_layer_offset") ? 1U : 0U;
    }
    const Bytes inner = number("mamba_expand") * hidden_;
    const Bytes mixer = inner * (number("mamba_d_conv") * width_ + number("mamba_d_state") * 4);
    return full(attention) + (layers_ - std::min(layers_, attention)) * mixer;
  }
  Bytes zamba() const {
    const Bytes inner = number("mamba_expand") * hidden_;
    const Bytes mixer = inner * (number("mamba_d_conv") * width_ + number("mamba_d_state") * 4);
    return full(count({"hybrid"}), number("attention_head_dim")) + layers_ * mixer;
  }
  Bytes delta_net() const {
    Bytes attention = count({"full_attention"});
    if (facts_.layer_types.empty()) attention = layers_ / 4;
    const Bytes keys = number("linear_num_key_heads") * number("linear_key_head_dim");
    const Bytes values = number("linear_num_value_heads") * number("linear_value_head_dim");
    const Bytes mixer =
        (2 * keys + values) * number("linear_conv_kernel_dim") * width_ + values * number("linear_key_head_dim") * 4;
    return full(attention) + (layers_ - std::min(layers_, attention)) * mixer;
  }
  Bytes lfm2() const {
    const Bytes attention = count({"full_attention"});
    const Bytes mixers = rules_.hybrid_layers_trimmed ? layers_ - std::min(layers_, attention) : layers_;
    return full(attention) + mixers * hidden_ * number("conv_L_cache") * width_;
  }
  Bytes minimax() const {
    const Bytes attention = count({"full_attention"});
    return full(attention) + (layers_ - std::min(layers_, attention)) * heads_ * head_dim_ * head_dim_ * width_;
  }

  // Kept in the modules, not in a cache that is returned; the whole window from the first token on. Measured in 4.40.2.
  Bytes recurrent_gemma() const {
    const Bytes attention = layers_ / 3;  // configuration_recurrent_gemma.py: every third layer
    const Bytes width = number("lru_width") != 0 ? number("lru_width") : hidden_;
    const Bytes kernel = number("conv1d_width") != 0 ? number("conv1d_width") : 4;
    const Bytes given = number("attention_window_size");
    const Bytes window = given != 0 ? given : 2048;
    return attention * 2 * key_value_heads_ * head_dim_ * window * width_ +
           (layers_ - attention) * (width * (kernel - 1) * width_ + width * 4);
  }

  // Layers whose attention looks back a window only.
  Bytes sliding_layers() const {
    if (window_ == 0) return 0;
    if (const Bytes listed = count({"sliding_attention", "chunked_attention"}); !facts_.layer_types.empty())
      return listed;
    const std::string_view family = facts_.family;
    if (family == "mistral" || family == "mixtral" || family == "phi3" || family == "starcoder2") return layers_;
    if (family == "qwen2" || family == "qwen3" || family == "qwen2_moe" || family == "qwen3_moe") {
      if (number("use_sliding_window") == 0) return 0;
      return layers_ - std::min(layers_, number("max_window_layers"));
    }
    const Bytes every = full_layer_every();
    return every == 0 ? 0 : layers_ - layers_ / every;
  }
  Bytes full_layer_every() const {
    const std::string_view family = facts_.family;
    if (family == "gemma2" || family == "gpt_oss") return 2;
    if (const Bytes pattern = number("sliding_window_pattern")) return pattern;
    if (family == "gemma3_text") return 6;
    if (family == "gemma3n_text") return 5;
    if (family == "cohere2" || family == "olmo3" || family == "exaone4" || family == "llama4_text") return 4;
    return 0;
  }
  bool hybrid_before_caps() const {
    const std::string_view family = facts_.family;
    return family == "gemma2" || family == "cohere2" || family == "gemma3_text";
  }
  Bytes windowed() const {
    const Bytes sliding = std::min(layers_, sliding_layers());
    if (sliding == 0) return full(layers_);
    if (rules_.window_caps) return full(layers_ - sliding) + capped(sliding, window_ - 1);
    // HybridCache, sized by the prompt, keeps the whole window; DynamicCache of that time keeps everything.
    if (hybrid_before_caps()) return full(layers_ - sliding) + capped(sliding, window_);
    return full(layers_);
  }

  const CacheFacts& facts_;
  CacheRules rules_;
  bool decoder_alone_;  // a class that is made of the decoder only: BartForCausalLM
  Bytes width_;
  Bytes tokens_;
  Bytes layers_ = 0;
  Bytes heads_ = 0;
  Bytes hidden_ = 0;
  Bytes key_value_heads_ = 0;
  Bytes head_dim_ = 0;
  Bytes window_ = 0;
};

Bytes product(Bytes a, Bytes b) {
  Bytes result = 0;
  return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

}  // namespace

std::uint64_t kv_cache_bytes(const Model& model, std::uint64_t context, std::uint64_t batch,
                             const kb::Release& transformers) {
  const auto width = static_cast<Bytes>(std::max(1.0, accelerate_width(model.dtype)));
  const Bytes tokens = std::min<Bytes>(context, static_cast<Bytes>(largest_number));
  const bool decoder_alone = model.facts.class_name.ends_with("ForCausalLM");
  return product(Formula(model.cache, cache_rules_for(transformers), decoder_alone, width, tokens).bytes(), batch);
}

}  // namespace whyfail::fixer
