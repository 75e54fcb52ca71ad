// Checkpoints that are quantized already: what stands in memory in place of the plain weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fixer/model/checkpoint.h"
#include "fixer/model/class_facts.h"
#include "fixer/model/config.h"
#include "fixer/model/model.h"

namespace whyfail::fixer {

// config.json's quantization_config, as far as sizes follow from it.
struct QuantizationConfig {
  std::string method;  // quant_method; "unknown": there is one that does not name its method; empty: none
  bool four_bit = false;
  bool eight_bit = false;
  bool double_quantization = false;
  std::int64_t bits = 0;                  // 0: not said
  std::int64_t group = 0;                 // -1: a whole row; 0: not said
  std::string layout;                     // of the packed layers: "gemm", "gemv", "marlin"; empty: not said
  std::vector<std::string> skip_modules;  // llm_int8_skip_modules, modules_to_not_convert
};

// transformers 4.57.6 utils/quantization_config.py: the fields of BitsAndBytesConfig, GPTQConfig and AwqConfig.
QuantizationConfig quantization_config(const Config& config);

// What a copy's name says of it beyond the method: "4bit", "int8", "bnb".
QuantizationConfig quantization_by_name(const std::string& method, std::string_view name);

// Gives the model the tree and bytes that it has in memory with this quantization. Where they do not follow from what
// is known, nothing is left of the tree, the bytes are those of the files (0: not known), and the note says so.
// `checkpoint` may be null.
void hold_quantized(Model& model, const QuantizationConfig& config, const Checkpoint* checkpoint,
                    const KnownClass& known, const Rules& rules);

}  // namespace whyfail::fixer
