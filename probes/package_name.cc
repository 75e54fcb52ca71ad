// Names and versions of Python packages.
#include "probes/package_name.h"

#include <cctype>

namespace whyfail::probes {

std::string normalised_package(std::string_view name) {
  std::string normal;
  bool separator = false;
  for (char letter : name) {
    if (letter == '-' || letter == '_' || letter == '.') {
      separator = true;
      continue;
    }
    if (separator) normal += '-';
    separator = false;
    normal += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  if (separator) normal += '-';
  return normal;
}

bool looks_like_version(std::string_view text) {
  if (text.empty() || text.size() > 80 || std::isdigit(static_cast<unsigned char>(text[0])) == 0) return false;
  for (char letter : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0;
    if (!plain && std::string_view(".+-_!*").find(letter) == std::string_view::npos) return false;
  }
  return true;
}

const std::vector<std::string_view>& loading_packages() {
  static const std::vector<std::string_view> names = {"torch",
                                                      "transformers",
                                                      "accelerate",
                                                      "safetensors",
                                                      "huggingface-hub",
                                                      "tokenizers",
                                                      "bitsandbytes",
                                                      "peft",
                                                      "diffusers",
                                                      "optimum",
                                                      "optimum-quanto",
                                                      "quanto",
                                                      "auto-gptq",
                                                      "gptqmodel",
                                                      "autoawq",
                                                      "awq",
                                                      "hqq",
                                                      "torchao",
                                                      "aqlm",
                                                      "eetq",
                                                      "compressed-tensors",
                                                      "deepspeed",
                                                      "flash-attn",
                                                      "xformers",
                                                      "triton",
                                                      "numpy",
                                                      "hf-xet",
                                                      "hf-transfer",
                                                      "intel-extension-for-pytorch",
                                                      "torchvision",
                                                      "sentencepiece",
                                                      "vllm",
                                                      "trl",
                                                      "tensorflow",
                                                      "jax"};
  return names;
}

}  // namespace whyfail::probes
