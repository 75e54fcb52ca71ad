// Packs the layers that GPTQ and AWQ replace, counts what bitsandbytes stores, takes the headers' word for the others.
#include "fixer/model/quantized_model.h"

#include <algorithm>
#include <utility>

#include "fixer/model/header_tree.h"
#include "fixer/model/size_template.h"
#include "fixer/placement/quantized_bytes.h"

namespace whyfail::fixer {

namespace {

constexpr std::int64_t usual_bits = 4;     // GPTQConfig and AwqConfig: what nearly every published copy has
constexpr std::int64_t usual_group = 128;  // their group_size where none is given

void add_note(Model& model, const std::string& text) {
  model.exact = false;
  model.note += (model.note.empty() ? "" : "; ") + text;
}

std::string not_known(const std::string& method) {
  return "quantized already (" + (method == "unknown" ? "how is not said" : method) + "), its size is not known here";
}

void size_not_known(Model& model, const Checkpoint* checkpoint, const std::string& why) {
  model.tree.root.children.clear();
  model.tree.ties.clear();
  model.quantizer.clear();
  model.bytes = checkpoint ? checkpoint->weight_bytes : 0;
  add_note(model, model.bytes == 0 ? why : why + ", the size is that of the checkpoint's files");
}

// GPTQ leaves what stands outside of the model's blocks (optimum gptq/quantizer.py, convert_model).
bool in_numbered_block(const std::string& name) {
  for (std::size_t i = 0; i + 2 < name.size(); ++i) {
    if (name[i] != '.') continue;
    const std::size_t end = name.find('.', i + 1);
    if (end == std::string::npos || end == i + 1) continue;
    if (std::all_of(name.begin() + static_cast<std::ptrdiff_t>(i) + 1, name.begin() + static_cast<std::ptrdiff_t>(end),
                    [](char c) { return c >= '0' && c <= '9'; }))
      return true;
  }
  return false;
}

class Packing {
 public:
  Packing(const Model& model, const QuantizationConfig& config) : gptq_(config.method == "gptq") {
    bits_ = static_cast<std::uint64_t>(config.bits > 0 ? config.bits : usual_bits);
    const std::int64_t group = config.group == 0 ? usual_group : config.group;
    group_ = group < 0 ? 0 : static_cast<std::uint64_t>(group);
    kept_ = config.skip_modules.empty() ? model.facts.not_quantized : config.skip_modules;
    kept_.emplace_back("lm_head");
  }

  // False: a layer has a shape that cannot be packed, or experts are no layers of their own.
  bool pack(Module& module, const std::string& path = "") {
    if (module.class_name.ends_with("Experts") && !module.parameters.empty()) return false;
    if (replaces(module, path) && !pack_weight(module)) return false;
    const std::string prefix = path.empty() ? "" : path + ".";
    return std::all_of(module.children.begin(), module.children.end(),
                       [&](Module& child) { return pack(child, prefix + child.name); });
  }
  std::size_t packed() const { return packed_; }

 private:
  bool replaces(const Module& module, const std::string& path) const {
    if (module.class_name != "Linear" || (gptq_ && !in_numbered_block(path))) return false;
    return std::none_of(kept_.begin(), kept_.end(), [&](const std::string& entry) {
      return !entry.empty() && path.find(entry) != std::string::npos;
    });
  }
  bool pack_weight(Module& module) {
    const auto weight = std::find_if(module.parameters.begin(), module.parameters.end(),
                                     [](const Tensor& tensor) { return tensor.name == "weight"; });
    if (weight == module.parameters.end() || weight->rows == 0) return false;
    const std::uint64_t columns = weight->elements / weight->rows;
    std::vector<Tensor> tensors =
        gptq_ ? gptq_tensors(weight->rows, columns, bits_, group_) : awq_tensors(weight->rows, columns, group_);
    if (tensors.empty()) return false;
    module.parameters.erase(weight);
    module.buffers.insert(module.buffers.begin(), tensors.begin(), tensors.end());
    ++packed_;
    return true;
  }

  bool gptq_;
  std::uint64_t bits_ = 0;
  std::uint64_t group_ = 0;
  std::vector<std::string> kept_;
  std::size_t packed_ = 0;
};

// Layouts other than the usual ones have other buffers (autoawq 0.2.6 gemv.py, gemv_fast.py, marlin.py; auto_gptq 0.7.1
// qlinear_marlin.py).
bool layout_known(const QuantizationConfig& config) {
  const std::string& layout = config.layout;
  if (config.method == "awq" && config.bits > 0 && config.bits != 4) return false;
  return layout.empty() || layout == "gemm" || layout == "GEMM" || layout == "exllama" || layout.starts_with("gptq");
}

void pack(Model& model, const QuantizationConfig& config) {
  Module root = model.tree.root;
  Packing packing(model, config);
  if (!layout_known(config) || !packing.pack(root) || packing.packed() == 0) {
    size_not_known(model, nullptr, not_known(config.method));
    return;
  }
  model.tree.root = std::move(root);
  model.quantizer = config.method;
  model.packed = true;
  model.bytes = totals_of(model.tree).bytes;
  if (config.bits <= 0 || config.group == 0)
    add_note(model, std::to_string(config.bits > 0 ? config.bits : usual_bits) + " bits in groups of " +
                        std::to_string(usual_group) + " are assumed");
}

void count_bitsandbytes(Model& model, const QuantizationConfig& config, const Rules& rules) {
  model.quantizer = config.eight_bit ? "bitsandbytes_8bit" : "bitsandbytes_4bit";
  model.double_quantization = config.double_quantization;
  model.skip_modules = config.skip_modules;
  LoadSettings settings;
  settings.quantizer = model.quantizer;
  settings.double_quantization = model.double_quantization;
  settings.skip_modules = model.skip_modules;
  settings.dtype = model.dtype;
  model.bytes = 0;
  for (const auto& [device, bytes] : bytes_by_device(model.tree, model.facts, {{"", std::int64_t{0}}}, settings, rules))
    model.bytes += bytes;
}

void take_headers(Model& model, const QuantizationConfig& config, const Checkpoint& checkpoint,
                  const KnownClass& known) {
  take_packed(model.tree, checkpoint.tensors, known);
  model.quantizer = config.method;
  model.packed = true;
  model.bytes = totals_of(model.tree).bytes;
  // Where a release joins what is stored apart, or the other way round, the tree keeps plain weights for it. Counted in
  // elements: what is not quantized may be loaded in another dtype than it is stored in.
  std::uint64_t stored = 0;
  for (const StoredTensor& tensor : checkpoint.tensors) stored += tensor.elements;
  const std::uint64_t held = totals_of(model.tree).parameters;
  if (held / 100 > stored / 90 || stored / 100 > held / 90)
    size_not_known(model, &checkpoint, "its quantized layers have other names than the modules that hold them");
}

bool one_of(const std::string& method, std::initializer_list<const char*> methods) {
  return std::find(methods.begin(), methods.end(), method) != methods.end();
}

}  // namespace

QuantizationConfig quantization_config(const Config& config) {
  const std::string at = "quantization_config.";
  QuantizationConfig result;
  if (!config.has_object("quantization_config")) return result;
  result.four_bit = config.flag(at + "load_in_4bit").value_or(false);
  result.eight_bit = config.flag(at + "load_in_8bit").value_or(false);
  result.method =
      config.text(at + "quant_method").value_or(result.four_bit || result.eight_bit ? "bitsandbytes" : "unknown");
  result.double_quantization = config.flag(at + "bnb_4bit_use_double_quant").value_or(false);
  for (const char* const name : {"bits", "w_bit"}) {
    if (result.bits == 0) result.bits = config.number(at + name).value_or(0);
  }
  for (const char* const name : {"group_size", "q_group_size"}) {
    if (result.group == 0) result.group = config.number(at + name).value_or(0);
  }
  result.layout = config.text(at + (result.method == "awq" ? "version" : "checkpoint_format")).value_or("");
  for (const char* const name : {"llm_int8_skip_modules", "modules_to_not_convert"}) {
    if (result.skip_modules.empty()) result.skip_modules = config.texts(at + name);
  }
  return result;
}

QuantizationConfig quantization_by_name(const std::string& method, std::string_view name) {
  QuantizationConfig result;
  result.method = method;
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const auto says = [&](std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](const char* word) { return text.find(word) != std::string::npos; });
  };
  if (says({"8bit", "8-bit", "int8"})) result.bits = 8;
  if (says({"4bit", "4-bit", "int4", "nf4"})) result.bits = 4;
  if (says({"3bit", "3-bit", "int3"})) result.bits = 3;
  if (says({"2bit", "2-bit", "int2"})) result.bits = 2;
  result.four_bit = result.bits == 4;
  result.eight_bit = result.bits == 8;
  return result;
}

void hold_quantized(Model& model, const QuantizationConfig& config, const Checkpoint* checkpoint,
                    const KnownClass& known, const Rules& rules) {
  if (config.method.empty()) return;
  const bool headers = checkpoint != nullptr && !checkpoint->tensors.empty();
  if (model.tree.root.children.empty()) return;
  if (config.method == "bitsandbytes" || config.method == "bitsandbytes_4bit" || config.method == "bitsandbytes_8bit") {
    if (!config.four_bit && !config.eight_bit) {
      size_not_known(model, checkpoint, "quantized already with bitsandbytes, whether in 4 or 8 bits is not known");
    } else {
      count_bitsandbytes(model, config, rules);
    }
  } else if (headers) {
    take_headers(model, config, *checkpoint, known);
    if (one_of(config.method, {"fp8", "mxfp4"}) && model.packed)
      add_note(model,
               "without a GPU that computes in " + config.method + " it is unpacked while loading and takes more");
  } else if (one_of(config.method, {"gptq", "awq"})) {
    pack(model, config);
  } else if (one_of(config.method, {"fp8", "mxfp4"})) {
    add_note(model, "sizes are those of unpacked weights; as " + config.method +
                        ", where the GPU computes in it, it takes less");
  } else {
    size_not_known(model, checkpoint, not_known(config.method));
  }
}

}  // namespace whyfail::fixer
