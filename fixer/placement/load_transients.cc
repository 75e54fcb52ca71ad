// Goes over the weights once, with the device of each.
#include "fixer/placement/load_transients.h"

#include <algorithm>

#include "fixer/placement/conversion.h"
#include "fixer/placement/key_cover.h"

namespace whyfail::fixer {

namespace {

LoadTransient& of_device(std::vector<LoadTransient>& all, const Device& device) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const LoadTransient& each) { return each.device == device; });
  if (found != all.end()) return *found;
  LoadTransient none;
  none.device = device;
  all.push_back(none);
  return all.back();
}

}  // namespace

bool is_joined(std::string_view name, const ClassFacts& facts) {
  const auto ends_like = [&](std::string_view ending) { return name.ends_with(ending); };
  if (!facts.merged_weights.empty())
    return std::any_of(facts.merged_weights.begin(), facts.merged_weights.end(), ends_like);
  const std::string& type = facts.class_name;
  if (type.starts_with("GptOss") || type.starts_with("Llama4") || type.starts_with("GraniteMoe")) return false;
  return ends_like(".experts.gate_up_proj") || ends_like(".experts.down_proj");
}

std::vector<LoadTransient> load_transients(const ModuleTree& model, const ClassFacts& facts, const DeviceMap& map,
                                           const LoadSettings& settings, const Rules& rules) {
  const FlatTree tree(model, model.ties);
  const KeyCover cover = key_cover(tree, with_values(map));
  const bool quantized = !settings.quantizer.empty() && !settings.pre_quantized;
  const std::vector<std::string> not_converted =
      quantized ? modules_not_converted(tree, facts, settings, rules) : std::vector<std::string>();
  std::vector<LoadTransient> transients;
  for (NodeIndex module = 0; module < tree.size(); ++module) {
    if (!tree.is_module(module) || tree[module].parameters_end <= module + 1) continue;
    const bool converted = quantized && is_converted(tree, module, not_converted, settings, rules);
    for (NodeIndex index = module + 1; index < tree[module].parameters_end; ++index) {
      const Node& tensor = tree[index];
      if (tensor.same_tensor_as != index) continue;
      const bool packed = converted && tensor.name == "weight";
      const bool joined = !packed && rules.own_allocator && is_joined(tree.full_name(index), facts);
      const EntryIndex entry = cover.by_prefix[static_cast<std::size_t>(index)];
      if (entry == kNoEntry) continue;
      LoadTransient& transient = of_device(transients, map[static_cast<std::size_t>(entry)].second);
      const auto bytes = static_cast<std::uint64_t>(tensor.elements * accelerate_width(tensor.dtype));
      transient.all_weights += bytes;
      if (joined) transient.largest_joined = std::max(transient.largest_joined, bytes);
      if (packed) {
        transient.largest_unquantized = std::max(transient.largest_unquantized, bytes);
        transient.all_unquantized += bytes;
      }
    }
  }
  return transients;
}

}  // namespace whyfail::fixer
