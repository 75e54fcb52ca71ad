// The config fields that the KV cache depends on.
#pragma once

#include <string>

#include "fixer/model/model.h"
#include "fixer/model/size_template.h"

namespace whyfail::fixer {

// Read from the part of the config that generates text ("text_config"), or the whole.
CacheFacts cache_facts(const CompletedConfig& config, const SizeTemplate& size_template, const std::string& model_type);

}  // namespace whyfail::fixer
