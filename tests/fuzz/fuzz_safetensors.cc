// A safetensors header of any bytes: read, or refused with a reason; what is read becomes a tree.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fixer/model/header_tree.h"
#include "fixer/model/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whyfail::fixer;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = parse_safetensors_header(text, 1 << 20);
  if (const auto* error = std::get_if<HeaderError>(&read)) {
    if (error->why.empty()) __builtin_trap();
    return 0;
  }
  const auto& tensors = std::get<std::vector<StoredTensor>>(read);
  const Module tree = tree_from_names(tensors, DType::float16);
  if (!tensors.empty() && tree.parameters.empty() && tree.children.empty()) __builtin_trap();
  return 0;
}
