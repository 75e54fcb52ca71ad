// The names that placement requests give to quantization settings.
#pragma once

#include <string_view>

#include "fixer/placement/place.h"

namespace whyfail::cli {

// "bnb-4bit-nf4", "quanto-int8", "hqq-pre" … sets quantizer, pre_quantized and skip_modules. False: not known.
bool set_quantization(std::string_view name, fixer::LoadSettings& settings);

}  // namespace whyfail::cli
