// The dtype rules of from_pretrained.
#include "fixer/model/load_dtype.h"

#include <string>

#include "fixer/placement/rules.h"

namespace whyfail::fixer {

namespace {
bool is_floating(DType type) {
  return type == DType::float64 || type == DType::float32 || type == DType::float16 || type == DType::bfloat16;
}
}  // namespace

std::optional<DType> config_dtype(const Config& config) {
  for (const char* const name : {"dtype", "torch_dtype", "text_config.dtype", "text_config.torch_dtype"}) {
    const auto text = config.text(name);
    DType type = DType::float32;
    if (text && parse_dtype(*text, type) && is_floating(type)) return type;
  }
  return std::nullopt;
}

std::optional<DType> checkpoint_dtype(const Checkpoint& checkpoint) {
  for (const StoredTensor& tensor : checkpoint.tensors) {
    if (tensor.dtype_known && is_floating(tensor.dtype)) return tensor.dtype;
  }
  return std::nullopt;
}

DType load_dtype(const ModelQuery& query, std::optional<DType> config, std::optional<DType> checkpoint) {
  if (query.dtype) return *query.dtype;
  const bool default_is_auto = rules_for(query.transformers, {}).default_dtype_is_auto;
  if (!query.dtype_auto && !default_is_auto) return query.quantized ? DType::float16 : DType::float32;
  if (config) return *config;
  return checkpoint.value_or(DType::float32);
}

}  // namespace whyfail::fixer
