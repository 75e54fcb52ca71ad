// Known model ids, and the names under which people keep them: local folders, forks, quantized copies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fixer/model/model_data.h"

namespace whyfail::fixer {

struct CatalogueHit {
  std::string config;        // JSON text of the row
  std::string id;            // the id it stands under
  bool same_model = false;   // the name is that id or another name of it; false: a fork or variant by its name
  std::string quantization;  // quantization_in_name
};

// What a name says about a quantized copy: "awq", "gptq", "fp8", "bitsandbytes", "gguf" …; "unknown": quantized
// ("4bit"), but not by what; empty: nothing.
std::string quantization_in_name(std::string_view name);

std::optional<CatalogueHit> look_up(std::string_view name, const ModelData& data);

// Parameters by the name's own figure: "70B", "1.5b", "8x7B" (an upper bound), "350m"; the largest one in names of
// mixtures ("OLMoE-1B-7B"). nullopt: it has none, or one that counts active parameters only ("17B-16E").
std::optional<std::uint64_t> parameters_in_name(std::string_view name);

}  // namespace whyfail::fixer
