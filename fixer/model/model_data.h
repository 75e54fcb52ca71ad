// Where find_model gets its data: size templates, architectures and the catalogue, by name. The knowledge base in the
// program; a folder of JSON files in tests.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "fixer/model/model.h"

namespace whyfail::fixer {

struct ModelData {
  std::function<std::optional<std::string>(std::string_view model_type, int era)> size_template;
  std::function<std::optional<std::string>(std::string_view model_type)> architecture;
  std::function<std::optional<std::string>(std::string_view model_id)> catalogue;
};

std::variant<Model, NoModel> find_model(const ModelQuery& query, const ModelData& data);

}  // namespace whyfail::fixer
