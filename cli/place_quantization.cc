// First part: the quantizer. A last part "-pre" means that the checkpoint is quantized already.
#include "cli/place_quantization.h"

#include <array>
#include <utility>

namespace whyfail::cli {

namespace {

constexpr std::array<std::pair<std::string_view, const char*>, 25> kQuantizers = {{
    {"bnb-4bit", "bitsandbytes_4bit"},
    {"bnb-8bit", "bitsandbytes_8bit"},
    {"hqq", "hqq"},
    {"quanto", "quanto"},
    {"torchao", "torchao"},
    {"fp8", "fp8"},
    {"mxfp4", "mxfp4"},
    {"eetq", "eetq"},
    {"fbgemm_fp8", "fbgemm_fp8"},
    {"bitnet", "bitnet"},
    {"awq", "awq"},
    {"gptq", "gptq"},
    {"compressed-tensors", "compressed-tensors"},
    {"nvfp4", "nvfp4"},
    {"mxfp8", "mxfp8"},
    {"sinq", "sinq"},
    {"higgs", "higgs"},
    {"fp_quant", "fp_quant"},
    {"vptq", "vptq"},
    {"spqr", "spqr"},
    {"aqlm", "aqlm"},
    {"quark", "quark"},
    {"metal", "metal"},
    {"auto-round", "auto-round"},
    {"fouroversix", "fouroversix"},
}};

}  // namespace

bool set_quantization(std::string_view name, fixer::LoadSettings& settings) {
  if (name.empty()) return true;
  for (const auto& [prefix, quantizer] : kQuantizers) {
    if (!name.starts_with(prefix)) continue;
    settings.quantizer = quantizer;
    settings.pre_quantized = name.ends_with("-pre");
    if (name.ends_with("-skip")) settings.skip_modules = {"lm_head", "mlp"};
    if (name.ends_with("-skipattn-dq")) settings.skip_modules = {"attn"};
    return true;
  }
  return false;
}

}  // namespace whyfail::cli
