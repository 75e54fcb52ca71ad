// The releases at which loading changed. "Measured": peak and rest of a process's own memory around from_pretrained of
// a model of 337 MB on the CPU, mapped file pages not counted.
#include "fixer/placement/loading_rules.h"

namespace whyfail::fixer {

LoadingRules loading_rules_for(const kb::Release& transformers) {
  const auto since = [&](int major, int minor) { return transformers >= kb::Release{major, minor, 0}; };
  LoadingRules rules;
  // modeling_utils.py load_state_dict, torch.load(mmap=True): 4.37.2 has it (with torch from 2.1 and a file of the zip
  // format), 4.36.2 has not. Measured in 4.30.2, 4.36.2, 4.40.2, 4.51.3 and 5.23.0.
  rules.whole_pickle_files = !since(4, 37);
  // modeling_utils.py check_support_param_buffer_assignment: from 4.43 tensors of the right dtype become the weights
  // (4.42.4 copies them into a model that was made before); from 4.51 every model is made on the meta device. Measured
  // in 4.30.2 and 4.40.2, and otherwise in 4.48.3, 4.51.3, 4.57.6 and 5.23.0.
  rules.model_made_in_ram = !since(4, 43);
  // core_model_loading.py WeightConverter. Measured with experts that are joined in 5.0.0, 5.5.0, 5.16.0 and 5.23.0:
  // the joined weight is there twice for a moment.
  rules.joins_weights = since(5, 0);
  // core_model_loading.py convert_and_load_state_dict_in_model: 5.4.0 reads one after the other when it quantizes
  // (has_on_the_fly_quantization), 5.3.0 and 5.0.0 do not.
  rules.reads_ahead_of_packing = since(5, 0) && !since(5, 4);
  // modeling_utils.py caching_allocator_warmup, read in 4.50.3, 4.51.3, 4.52.4, 4.57.6, 5.1.0, 5.2.0 and 5.23.0; 4.49.0
  // has none.
  if (since(4, 50)) rules.warm_up = WarmUp::plain_weights;
  if (since(4, 51)) rules.warm_up = WarmUp::half_of_quantized;
  if (since(5, 0)) rules.warm_up = WarmUp::as_the_quantizer_says;
  if (since(4, 50) && !since(4, 52)) rules.warm_up_share = 0.95;
  if (since(4, 52))
    rules.warm_up_left_bytes = 1288490188;  // 1.2 GiB; from 5.2.0 of the GPU's total, not of what is free
  return rules;
}

}  // namespace whyfail::fixer
