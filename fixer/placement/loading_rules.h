// What transformers holds while it loads, beside the weights that stay, as plain options. Only loading_rules_for()
// knows which release does what.
#pragma once

#include <cstdint>

#include "kb/release.h"

namespace whyfail::fixer {

// caching_allocator_warmup: how much of each GPU is reserved before the first weight is there. What is reserved is used
// for the weights afterwards.
enum class WarmUp {
  none,
  plain_weights,          // all of its weights; nothing where a quantizer is at work
  half_of_quantized,      // half of the unquantized size of quantized weights
  as_the_quantizer_says,  // what the weights take by the quantizer's own count
};

struct LoadingRules {
  bool whole_pickle_files = false;      // a .bin file is read into RAM as a whole; else its tensors are mapped
  bool model_made_in_ram = false;       // without device_map and low_cpu_mem_usage; the weights are then copied into it
  bool joins_weights = false;           // tensors that are stored apart become one weight where it will lie
  bool reads_ahead_of_packing = false;  // threads bring unquantized weights to the device while others are packed
  WarmUp warm_up = WarmUp::none;
  double warm_up_share = 0;              // of the free bytes, at most; 0: no such limit
  std::uint64_t warm_up_left_bytes = 0;  // of the free bytes, left alone
};

LoadingRules loading_rules_for(const kb::Release& transformers);

}  // namespace whyfail::fixer
