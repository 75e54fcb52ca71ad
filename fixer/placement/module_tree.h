// A model as the allocators see it: modules in registration order with their own tensors, and groups of tied tensors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whyfail::fixer {

enum class DType : std::uint8_t {
  float64,
  float32,
  float16,
  bfloat16,
  float8_e4m3,
  float8_e5m2,
  float8_e8m0,
  int64,
  int32,
  int16,
  int8,
  uint16,
  uint8,
  boolean,
  complex64,
  int4,
  int2,
  fp8
};

// Bytes of one element: accelerate counts a bool as 1/8 byte, transformers 5 as 1.
double accelerate_width(DType type);
// From "float16", "f16", "torch.float16", "bf16", "BF16" (safetensors), "CustomDtype.INT4" …; false: not a known name.
bool parse_dtype(std::string_view name, DType& type);
const char* dtype_name(DType type);  // "float16"

struct Tensor {
  std::string name;  // last component: "weight"
  std::uint64_t elements = 0;
  DType dtype = DType::float32;
  bool persistent = true;  // buffers only
  std::uint64_t rows = 0;  // first dimension; 0: not known
};

struct Module {
  std::string name;        // last component; "" for the root
  std::string class_name;  // "LlamaDecoderLayer"
  std::vector<Tensor> parameters;
  std::vector<Tensor> buffers;
  std::vector<Module> children;
};

struct ModuleTree {
  Module root;
  // Groups of full names that are one tensor; the first name is the one that is recorded.
  std::vector<std::vector<std::string>> ties;
  bool ties_by_identity =
      true;  // the names are one tensor object (4.x); else only declared (5.x all_tied_weights_keys)
};

}  // namespace whyfail::fixer
