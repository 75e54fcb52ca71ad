// How transformers keeps its key-value caches, as plain options. Only cache_rules_for() knows which release does what.
#pragma once

#include "kb/release.h"

namespace whyfail::fixer {

struct CacheRules {
  bool window_caps = false;            // DynamicCache keeps window - 1 tokens of a sliding layer
  bool latent_kept = false;            // MLA keeps the latent, not the expanded keys and values
  bool float_states = false;           // recurrent states stay float32
  bool float_falcon_states = false;    // falcon_mamba's state is float32
  bool float_gptj_keys = false;        // gptj's keys stay float32 after the rotary step
  bool llama_head_dim = false;         // llama takes head_dim from the config
  bool hybrid_layers_trimmed = false;  // gemma3n and lfm2 count only their own layers; else all
  bool can_be_offloaded = false;       // cache_implementation="offloaded" of generate()
};

CacheRules cache_rules_for(const kb::Release& transformers);

}  // namespace whyfail::fixer
