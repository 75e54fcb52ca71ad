// What a finished map puts on each device.
#include <algorithm>
#include <cmath>
#include <optional>

#include "fixer/placement/conversion.h"
#include "fixer/placement/key_cover.h"
#include "fixer/placement/place.h"
#include "fixer/placement/quantized_bytes.h"

namespace whyfail::fixer {

namespace {

// Sums by device, in the order of first mention.
class Ledger {
 public:
  std::size_t row_of(const Device& device) {
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const auto& row) { return row.first == device; });
    if (found != rows_.end()) return static_cast<std::size_t>(found - rows_.begin());
    rows_.emplace_back(device, 0);
    return rows_.size() - 1;
  }
  const Device& device(std::size_t row) const { return rows_[row].first; }
  void add(std::size_t row, double bytes) { rows_[row].second += bytes; }

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

// Other quantizers' layers with their scales, where these were compared with the library's own.
std::optional<std::uint64_t> packed_bytes(const Node& weight, const LoadSettings& settings) {
  const auto rows = static_cast<std::uint64_t>(weight.rows);
  if (rows == 0) return std::nullopt;
  const std::uint64_t columns = static_cast<std::uint64_t>(weight.elements) / rows;
  const std::string& type = settings.quantized_type;
  if (settings.quantizer == "fp8") return fp8_bytes(rows, columns);
  if (settings.quantizer == "quanto") {
    const std::uint64_t bits = type == "int4" ? 4 : type == "int2" ? 2 : 8;
    return quanto_bytes(rows, columns, bits, static_cast<std::uint64_t>(accelerate_width(weight.dtype)));
  }
  if (settings.quantizer == "torchao" && (type.empty() || type == "int8")) return torchao_int8_bytes(rows, columns);
  return std::nullopt;
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
  if (const auto packed = packed_bytes(tensor, settings)) return static_cast<double>(*packed);
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
  const KeyCover cover = key_cover(tree, with_values(map));
  const bool quantized = !settings.quantizer.empty() && !settings.pre_quantized;
  const std::vector<std::string> not_converted =
      quantized ? modules_not_converted(tree, facts, settings, rules) : std::vector<std::string>();
  Ledger ledger;
  std::vector<std::size_t> row_of_entry;
  for (const auto& [key, device] : map) row_of_entry.push_back(ledger.row_of(device));
  for (NodeIndex module = 0; module < tree.size(); ++module) {
    if (!tree.is_module(module) || tree[module].tensors_end == module + 1) continue;
    const bool converted = quantized && is_converted(tree, module, not_converted, settings, rules);
    for (NodeIndex index = module + 1; index < tree[module].tensors_end; ++index) {
      const Node& tensor = tree[index];
      if (tensor.kind == NodeKind::parameter && tensor.same_tensor_as != index) continue;
      const EntryIndex entry = cover.by_prefix[static_cast<std::size_t>(index)];
      const std::size_t row = entry == kNoEntry ? ledger.row_of("cpu") : row_of_entry[static_cast<std::size_t>(entry)];
      const bool packed = converted && tensor.kind == NodeKind::parameter && tensor.name == "weight";
      if (packed) {
        ledger.add(row, converted_bytes(tree, index, ledger.device(row), settings, rules));
      } else {
        const bool upcast = tensor.kind == NodeKind::parameter && !facts.never_quantized.empty() &&
                            is_upcast(tree.full_name(index), facts, settings, rules);
        ledger.add(row, upcast ? 4 * tensor.elements : own_bytes(tensor));
      }
    }
  }
  return ledger.rows();
}

}  // namespace whyfail::fixer
