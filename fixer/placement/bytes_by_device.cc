// What a finished map puts on each device.
#include <algorithm>
#include <cmath>

#include "fixer/placement/conversion.h"
#include "fixer/placement/key_lookup.h"
#include "fixer/placement/place.h"
#include "fixer/placement/quantized_bytes.h"

namespace whyfail::fixer {

namespace {

class Ledger {
 public:
  void add(const Device& device, double bytes) {
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const auto& row) { return row.first == device; });
    if (found == rows_.end()) {
      rows_.emplace_back(device, bytes);
    } else {
      found->second += bytes;
    }
  }

  std::vector<std::pair<Device, std::uint64_t>> rows() const {
    std::vector<std::pair<Device, std::uint64_t>> rounded;
    for (const auto& [device, bytes] : rows_) {
      rounded.emplace_back(device, static_cast<std::uint64_t>(std::min(std::ceil(bytes), 1.8e19)));
    }
    return rounded;
  }

 private:
  std::vector<std::pair<Device, double>> rows_;
};

bool offloaded(const Device& device) {
  const std::string* name = std::get_if<std::string>(&device);
  return name != nullptr && (*name == "cpu" || *name == "disk");
}

double own_bytes(const Node& tensor) {
  return tensor.elements * (tensor.dtype == DType::boolean ? 1.0 : accelerate_width(tensor.dtype));
}

// A weight of a converted layer on a GPU, or offloaded in 32 bits.
double converted_bytes(const FlatTree& tree, NodeIndex weight, const Device& device, const LoadSettings& settings,
                       const Rules& rules) {
  const Node& tensor = tree[weight];
  const auto elements = static_cast<std::uint64_t>(tensor.elements);
  const bool eight_bit = settings.quantizer == "bitsandbytes_8bit";
  if (offloaded(device) && settings.quantizer.starts_with("bitsandbytes")) {
    return eight_bit ? tensor.elements * 4 : own_bytes(tensor);
  }
  if (settings.quantizer == "bitsandbytes_4bit") {
    return static_cast<double>(four_bit_bytes(elements, settings.double_quantization));
  }
  if (eight_bit) {
    // Conv1D keeps its weight transposed: the rows of the converted layer are its columns.
    double rows = tensor.rows;
    if (rows > 0 && tree[tensor.parent].class_name == "Conv1D") rows = tensor.elements / rows;
    return static_cast<double>(eight_bit_bytes(elements, static_cast<std::uint64_t>(rows)));
  }
  const QuantizerRules quantizer = quantizer_rules(settings.quantizer, settings.pre_quantized, rules);
  double width = quantizer.linear_element_bytes.value_or(accelerate_width(tensor.dtype));
  DType named{};
  if (parse_dtype(settings.quantized_type, named)) width = accelerate_width(named);
  return tensor.elements * width;
}

}  // namespace

std::vector<std::pair<Device, std::uint64_t>> bytes_by_device(const ModuleTree& model, const ClassFacts& facts,
                                                              const DeviceMap& map, const LoadSettings& settings,
                                                              const Rules& rules) {
  // A tied tensor lies where its first name is, once.
  const FlatTree tree(model, model.ties);
  const ValueMap values = with_values(map);
  const KeyLookup lookup(values);
  const bool quantized = !settings.quantizer.empty() && !settings.pre_quantized;
  const std::vector<std::string> not_converted =
      quantized ? modules_not_converted(model, facts, settings, rules) : std::vector<std::string>();
  Ledger ledger;
  for (const auto& [key, device] : map) ledger.add(device, 0);
  for (NodeIndex module = 0; module < tree.size(); ++module) {
    if (!tree.is_module(module) || tree[module].tensors_end == module + 1) continue;
    const bool converted = quantized && is_converted(tree, module, not_converted, settings, rules);
    const std::string name = tree.full_name(module);
    for (NodeIndex index = module + 1; index < tree[module].tensors_end; ++index) {
      const Node& tensor = tree[index];
      if (tensor.kind == NodeKind::parameter && tensor.same_tensor_as != index) continue;
      const std::string full = name.empty() ? std::string(tensor.name) : name + "." + std::string(tensor.name);
      const DeviceValue* value = lookup.by_prefix(full);
      const Device device = value == nullptr ? Device("cpu") : plain({{"", *value}}).front().second;
      const bool packed = converted && tensor.kind == NodeKind::parameter && tensor.name == "weight";
      ledger.add(device, packed ? converted_bytes(tree, index, device, settings, rules) : own_bytes(tensor));
    }
  }
  return ledger.rows();
}

}  // namespace whyfail::fixer
