// The releases at which caches changed. "Measured": on small real models in 4.40.2, 4.48.3, 4.51.3, 4.57.6 and 5.23.0;
// the change lies between the release named and the one before it in this list.
#include "fixer/placement/cache_rules.h"

namespace whyfail::fixer {

CacheRules cache_rules_for(const kb::Release& transformers) {
  const auto since = [&](int major, int minor) { return transformers >= kb::Release{major, minor, 0}; };
  CacheRules rules;
  rules.window_caps = since(4, 56);  // cache_utils.py, DynamicSlidingWindowLayer: 4.56.0
  rules.latent_kept = since(5, 16);  // modeling_deepseek_v3.py: 5.16.0 does, 5.10.0 does not
  rules.float_states = since(5, 5);  // cache_utils.py, linear attention: 5.5.0; MambaCache of 5.0.0 does not
  rules.float_falcon_states = rules.float_states || (since(4, 50) && !since(4, 56));  // measured in 4.51.3 only
  rules.float_gptj_keys = since(4, 47) && !since(4, 56);  // measured in 4.48.3 and 4.51.3, not in 4.40.2 and 4.57.6
  rules.llama_head_dim = since(4, 45);                    // modeling_llama.py: 4.46.3 does, 4.44.2 does not
  rules.hybrid_layers_trimmed = since(5, 0);              // measured in 5.23.0; 4.57.6 counts all
  // 4.44.2 (generation/utils.py) and every later release looked at up to 5.23.0 (generation/configuration_utils.py)
  // have it; 4.40.2 has not
  rules.can_be_offloaded = transformers >= kb::Release{4, 44, 2};
  return rules;
}

}  // namespace whyfail::fixer
