// Lists of unconverted modules, and the widths that follow from them.
#include "fixer/placement/conversion.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace whyfail::fixer {

namespace {

std::string without_tensor_name(const std::string& name) {
  for (const char* ending : {".weight", ".bias"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - std::string_view(ending).size());
  }
  return name;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// The last parameter in the model's order; a tied duplicate does not count.
std::string last_parameter(const FlatTree& tree, const std::unordered_set<std::string>& duplicates) {
  for (NodeIndex index = tree.size(); index-- > 0;) {
    if (tree[index].kind != NodeKind::parameter) continue;
    std::string name = tree.full_name(index);
    if (!duplicates.contains(name)) return name;
  }
  return {};
}

std::vector<std::string> default_list(const FlatTree& tree, const Rules& rules) {
  std::vector<std::string> names;
  std::unordered_set<std::string> duplicates;
  for (const std::vector<std::string>& group : tree.model().ties) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      add_once(names, without_tensor_name(group[i]));
      if (i > 0) duplicates.insert(group[i]);
    }
  }
  if (names.empty()) {
    // untied: the output embedding alone
    if (tree.node_of("lm_head") != kNoNode) return {"lm_head"};
    const std::string last = last_parameter(tree, duplicates);
    return last.empty() ? names : std::vector<std::string>{without_tensor_name(last)};
  }
  if (rules.final_norm_not_converted) {
    const std::string last = last_parameter(tree, duplicates);
    if (!last.empty()) add_once(names, without_tensor_name(last));
  }
  return names;
}

bool keeps_everything(const std::string& quantizer) { return quantizer == "hqq" || quantizer == "compressed-tensors"; }

bool matches_from_start(std::string_view name, std::string_view pattern) {
  if (name.size() < pattern.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '.' && pattern[i] != name[i]) return false;  // a "." of the pattern stands for any character
  }
  return true;
}

// transformers/integrations/bitsandbytes.py (4.x) and quantizers/quantizers_utils.py should_convert_module (5).
bool is_exempt(std::string_view name, std::string_view entry, const Rules& rules) {
  if (!rules.unconverted_by_suffix) {
    const std::size_t dot = name.rfind('.');
    const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
    return last == entry || name == entry || name.find(std::string(entry) + ".") != std::string_view::npos;
  }
  if (name.ends_with(entry)) return true;
  if (!matches_from_start(name, entry)) return false;
  const bool boundary = name.size() == entry.size() || name[entry.size()] == '.' || entry.ends_with('.');
  return boundary || !rules.unconverted_needs_boundary;
}

std::optional<DType> named_target(const LoadSettings& settings) {
  DType type{};
  if (settings.quantized_type.empty() || !parse_dtype(settings.quantized_type, type)) {
    if (settings.quantized_type == "float8") return DType::fp8;
    return std::nullopt;
  }
  return type;
}

// Fine-grained FP8 on the fly: one scale for each block of 128 × 128 weights (quantization_config.weight_block_size).
double fp8_scales(const Node& weight) {
  if (weight.rows <= 0) return 0;
  return std::ceil(weight.rows / 128) * std::ceil(weight.elements / weight.rows / 128);
}

bool is_fp8_on_the_fly(const LoadSettings& settings) { return settings.quantizer == "fp8" && !settings.pre_quantized; }

// The layers are float8 before sizes are taken; their scales are float32, but transformers 5 counts a byte for each.
void fp8_widths(const FlatTree& tree, const std::vector<std::string>& not_converted, const LoadSettings& settings,
                const Rules& rules, Sizing& sizing) {
  for (NodeIndex module = 0; module < tree.size(); ++module) {
    if (!tree.is_module(module) || !is_converted(tree, module, not_converted, settings, rules)) continue;
    for (NodeIndex tensor = module + 1; tensor < tree[module].parameters_end; ++tensor) {
      if (tree[tensor].name != "weight") continue;
      const std::string name = tree.full_name(tensor);
      if (!sizing.by_element) sizing.special_dtypes[name] = DType::float8_e4m3;
      sizing.added_bytes[name] = fp8_scales(tree[tensor]) * (sizing.by_element ? 1 : 4);
    }
  }
}

// MXFP4 on the fly: each expert weight has a bias with one element for each of its outputs.
void pack_experts(const FlatTree& tree, const LoadSettings& settings, const Rules& rules, Sizing& sizing) {
  const QuantizerRules quantizer = quantizer_rules(settings.quantizer, settings.pre_quantized, rules);
  if (quantizer.packed_group == 0) return;
  for (NodeIndex module = 0; module < tree.size(); ++module) {
    if (!tree.is_module(module) || tree[module].class_name != "GptOssExperts") continue;
    for (const char* name : {"gate_up_proj", "down_proj"}) {
      const std::string weight = tree.full_name(module) + "." + name;
      const NodeIndex node = tree.node_of(weight);
      const NodeIndex bias = tree.node_of(weight + "_bias");
      if (node == kNoNode || bias == kNoNode || tree[bias].elements <= 0) continue;
      const double groups = std::floor(tree[node].elements / tree[bias].elements / quantizer.packed_group);
      const int bytes_a_group = quantizer.packed_group / 2 + (quantizer.packed_scales ? 1 : 0);
      const double bytes = groups * bytes_a_group;
      sizing.packed_bytes[weight] = tree[bias].elements * bytes;
      if (sizing.by_element) sizing.element_bytes[weight + "_bias"] = 4;  // they are float32 whatever the model's dtype
    }
  }
}

void accelerate_widths(const FlatTree& tree, const ClassFacts& facts, const LoadSettings& settings, const Rules& rules,
                       Sizing& sizing) {
  sizing.dtype = settings.dtype;
  std::vector<std::string> kept_as_loaded;
  if (!settings.quantizer.empty()) {
    const QuantizerRules quantizer = quantizer_rules(settings.quantizer, settings.pre_quantized, rules);
    if (quantizer.target_dtype) sizing.dtype = named_target(settings).value_or(*quantizer.target_dtype);
    kept_as_loaded = modules_not_converted(tree, facts, settings, rules);
  }
  if (kept_as_loaded.empty() && facts.keep_in_fp32.empty()) return;
  const auto part_of = [](const std::string& name) {
    return [&name](const std::string& part) { return name.find(part) != std::string::npos; };
  };
  tree.for_each_parameter([&](NodeIndex index, const std::string& name) {
    if (std::any_of(facts.keep_in_fp32.begin(), facts.keep_in_fp32.end(), part_of(name)) ||
        is_upcast(name, facts, settings, rules)) {
      sizing.special_dtypes[name] = DType::float32;
    } else if (std::any_of(kept_as_loaded.begin(), kept_as_loaded.end(), part_of(name))) {
      sizing.special_dtypes[name] = settings.dtype.value_or(tree[index].dtype);
    }
  });
  if (is_fp8_on_the_fly(settings)) fp8_widths(tree, kept_as_loaded, settings, rules, sizing);
}

void element_widths(const FlatTree& tree, const ClassFacts& facts, const LoadSettings& settings, const Rules& rules,
                    Sizing& sizing) {
  sizing.by_element = true;
  for (const std::vector<std::string>& group : tree.model().ties) {
    for (std::size_t i = 1; i < group.size(); ++i) sizing.left_out.insert(group[i]);
  }
  if (settings.quantizer.empty()) return;
  const QuantizerRules quantizer = quantizer_rules(settings.quantizer, settings.pre_quantized, rules);
  if (!quantizer.linear_element_bytes) return;
  const std::optional<DType> named = named_target(settings);
  const double width = named ? accelerate_width(*named) : *quantizer.linear_element_bytes;
  const std::vector<std::string> not_converted = modules_not_converted(tree, facts, settings, rules);
  for (NodeIndex module = 0; module < tree.size(); ++module) {
    if (!tree.is_module(module) || !is_converted(tree, module, not_converted, settings, rules)) continue;
    for (NodeIndex tensor = module + 1; tensor < tree[module].parameters_end; ++tensor) {
      if (tree[tensor].name == "weight") sizing.element_bytes[tree.full_name(tensor)] = width;
    }
  }
  if (is_fp8_on_the_fly(settings)) fp8_widths(tree, not_converted, settings, rules, sizing);
}

}  // namespace

bool is_upcast(std::string_view name, const ClassFacts& facts, const LoadSettings& settings, const Rules& rules) {
  if (!rules.bitsandbytes_upcasts || !settings.quantizer.starts_with("bitsandbytes")) return false;
  return std::any_of(facts.never_quantized.begin(), facts.never_quantized.end(),
                     [&](const std::string& part) { return name.find(part) != std::string_view::npos; });
}

bool has_parallel_plan(const ModuleTree& tree) {
  std::vector<const Module*> waiting{&tree.root};
  while (!waiting.empty()) {
    const Module* module = waiting.back();
    waiting.pop_back();
    for (const Module& child : module->children) {
      if (child.name == "gate_proj" || child.name == "gate_up_proj" || child.name == "experts") return true;
      waiting.push_back(&child);
    }
  }
  return false;
}

std::vector<std::string> repeated_classes(const ModuleTree& tree) {
  std::vector<std::string> classes;
  std::vector<const Module*> waiting{&tree.root};
  while (!waiting.empty()) {
    const Module* module = waiting.back();
    waiting.pop_back();
    for (const Module& child : module->children) {
      if (module->class_name == "ModuleList") {
        add_once(classes, child.class_name);
      } else {
        waiting.push_back(&child);
      }
    }
  }
  return classes;
}

std::vector<std::string> modules_not_converted(const FlatTree& tree, const ClassFacts& facts,
                                               const LoadSettings& settings, const Rules& rules) {
  if (keeps_everything(settings.quantizer)) return {};
  std::vector<std::string> names = settings.skip_modules;
  if (names.empty()) names = facts.not_quantized;
  if (names.empty()) names = default_list(tree, rules);
  for (const std::string& name : facts.keep_in_fp32) add_once(names, name);
  for (const std::string& name : facts.never_quantized) add_once(names, name);
  return names;
}

std::vector<std::string> modules_not_converted(const ModuleTree& tree, const ClassFacts& facts,
                                               const LoadSettings& settings, const Rules& rules) {
  return modules_not_converted(FlatTree(tree, {}), facts, settings, rules);
}

bool is_converted(const FlatTree& tree, NodeIndex module, const std::vector<std::string>& not_converted,
                  const LoadSettings& settings, const Rules& rules) {
  const std::string_view type = tree[module].class_name;
  const bool bitsandbytes = settings.quantizer.starts_with("bitsandbytes");
  const bool linear = type == "Linear" || (bitsandbytes && type == "Conv1D") || type.starts_with("Linear4bit") ||
                      type.starts_with("Linear8bit") || type == "QLinear" || type == "FP8Linear";
  if (!linear) return false;
  const std::string name = tree.full_name(module);
  return std::none_of(not_converted.begin(), not_converted.end(),
                      [&](const std::string& entry) { return !entry.empty() && is_exempt(name, entry, rules); });
}

Sizing sizing_for(const FlatTree& tree, const ClassFacts& facts, const LoadSettings& settings, const Rules& rules) {
  Sizing sizing;
  if (rules.own_allocator) {
    element_widths(tree, facts, settings, rules, sizing);
  } else {
    accelerate_widths(tree, facts, settings, rules, sizing);
  }
  if (!settings.quantizer.empty()) pack_experts(tree, settings, rules, sizing);
  return sizing;
}

}  // namespace whyfail::fixer
