// Which dtype a call loads a model in.
#pragma once

#include <optional>

#include "fixer/model/checkpoint.h"
#include "fixer/model/config.h"
#include "fixer/model/model.h"

namespace whyfail::fixer {

// dtype or torch_dtype of the config, of its text part if the whole has none.
std::optional<DType> config_dtype(const Config& config);
// The checkpoint's first floating dtype.
std::optional<DType> checkpoint_dtype(const Checkpoint& checkpoint);

// The call's dtype; with "auto" the config's, else the checkpoint's, else float32; with none the release's default:
// float32 up to transformers 4.57.6 (float16 where bitsandbytes quantizes), "auto" from 5.0.0
// (modeling_utils.py, from_pretrained; the default changed in 5.0.0).
DType load_dtype(const ModelQuery& query, std::optional<DType> config, std::optional<DType> checkpoint);

}  // namespace whyfail::fixer
