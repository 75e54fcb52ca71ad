// A config, with or without the checkpoint it belongs to, made into a model of the release at hand.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "fixer/model/checkpoint.h"
#include "fixer/model/model_data.h"

namespace whyfail::fixer {

// `config`: JSON text. `checkpoint` may be null. `origin`: "checkpoint", "config", "catalogue".
std::variant<Model, NoModel> model_from_config(const ModelQuery& query, const ModelData& data, std::string_view config,
                                               const Checkpoint* checkpoint, std::string_view origin);

// A checkpoint without a readable config: the tree comes from the names in its headers.
std::variant<Model, NoModel> model_from_headers(const ModelQuery& query, const Checkpoint& checkpoint);

}  // namespace whyfail::fixer
