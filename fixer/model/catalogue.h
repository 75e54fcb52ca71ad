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
  std::string quantization;  // what the name says about a quantized copy: "awq", "gptq", "fp8", "bitsandbytes"
};

std::optional<CatalogueHit> look_up(std::string_view name, const ModelData& data);

// Parameters by the name's own figure: "70B", "1.5b", "8x7B" (an upper bound), "350m". nullopt: it has none.
std::optional<std::uint64_t> parameters_in_name(std::string_view name);

}  // namespace whyfail::fixer
