// Which layers a quantizer converts, and how it makes the allocator count them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fixer/placement/flat_tree.h"
#include "fixer/placement/place.h"
#include "fixer/placement/rules.h"
#include "fixer/placement/sizes.h"

namespace whyfail::fixer {

// Names of the modules that stay as they are: skip_modules as written, else what the class facts say, else the
// library's own rule (transformers/integrations/bitsandbytes.py get_keys_to_not_convert): the output embedding, what is
// tied to it, and from 4.50 the last module with parameters. Modules kept in float32 are added.
std::vector<std::string> modules_not_converted(const FlatTree& tree, const ClassFacts& facts,
                                               const LoadSettings& settings, const Rules& rules);
std::vector<std::string> modules_not_converted(const ModuleTree& tree, const ClassFacts& facts,
                                               const LoadSettings& settings, const Rules& rules);

// Whether `module` is a layer that the quantizer replaces.
bool is_converted(const FlatTree& tree, NodeIndex module, const std::vector<std::string>& not_converted,
                  const LoadSettings& settings, const Rules& rules);

// Whether bitsandbytes makes the tensor float32, whatever the dtype asked for (4.x).
bool is_upcast(std::string_view name, const ClassFacts& facts, const LoadSettings& settings, const Rules& rules);

// Where a model class's no-split classes are not known: the classes of the elements of its outermost module lists (its
// layers), which is what nearly all model classes declare.
std::vector<std::string> repeated_classes(const ModuleTree& tree);

// Whether the class's config has a tensor parallel plan (base_model_tp_plan): told from gated or expert layers, which
// the models with a plan have.
bool has_parallel_plan(const ModuleTree& tree);

// special_dtypes and dtype (4.x), element sizes (5) for this call.
Sizing sizing_for(const FlatTree& tree, const ClassFacts& facts, const LoadSettings& settings, const Rules& rules);

}  // namespace whyfail::fixer
