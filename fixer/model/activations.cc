// A table of names and classes; three classes changed their name between releases.
#include "fixer/model/activations.h"

#include <array>

namespace whyfail::fixer {

namespace {

struct Activation {
  std::string_view name;
  std::string_view made;
};

constexpr std::array<Activation, 21> activations{{
    {"gelu", "GELUActivation"},
    {"gelu_10", "ClippedGELUActivation"},
    {"gelu_accurate", "AccurateGELUActivation"},
    {"gelu_fast", "FastGELUActivation"},
    {"gelu_new", "NewGELUActivation"},
    {"gelu_python", "GELUActivation"},
    {"gelu_python_tanh", "GELUTanh"},
    {"gelu_pytorch_tanh", "GELUTanh"},
    {"hardswish", "Hardswish"},
    {"laplace", "LaplaceActivation"},
    {"leaky_relu", "LeakyReLU"},
    {"linear", "LinearActivation"},
    {"mish", "MishActivation"},
    {"quick_gelu", "QuickGELUActivation"},
    {"relu", "ReLU"},
    {"relu2", "ReLUSquaredActivation"},
    {"relu6", "ReLU6"},
    {"sigmoid", "Sigmoid"},
    {"silu", "SiLUActivation"},
    {"swish", "SiLU"},
    {"tanh", "Tanh"},
}};

bool since(const kb::Release& transformers, const char* release) {
  return transformers >= *kb::Release::parse(release);
}

}  // namespace

std::optional<std::string> activation_class(std::string_view name, const kb::Release& transformers) {
  // configuration_t5.py: "gated-silu" is silu, but "gated-gelu" is gelu_new.
  if (name == "gated-gelu") name = "gelu_new";
  if (const std::size_t dash = name.rfind('-'); dash != std::string_view::npos) name.remove_prefix(dash + 1);
  // A class of its own until 4.35 and again from 4.54 on; torch's between (seen in 4.33.3, 4.36.2, 4.53.3, 4.57.6).
  if (name == "silu" && since(transformers, "4.36") && !since(transformers, "4.54")) return "SiLU";
  if (name == "swish" && !since(transformers, "4.36")) return "SiLUActivation";
  if (name == "gelu_pytorch_tanh" && !since(transformers, "4.54")) return "PytorchGELUTanh";
  for (const Activation& activation : activations) {
    if (activation.name == name) return std::string(activation.made);
  }
  return std::nullopt;
}

}  // namespace whyfail::fixer
