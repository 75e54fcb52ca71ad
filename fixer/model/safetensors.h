// The header of a safetensors file: names, dtypes and shapes of its tensors, without reading any data.
// Format: 8 bytes little-endian header length, the header as JSON, the data (safetensors 0.4, "Format").
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "fixer/placement/module_tree.h"

namespace whyfail::fixer {

struct StoredTensor {
  std::string name;
  std::string dtype_text;  // as stored: "BF16", "F8_E4M3"
  DType dtype = DType::float32;
  bool dtype_known = true;
  std::vector<std::uint64_t> shape;
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;  // in the file
};

struct HeaderError {
  std::string why;  // "header length 99999999 is beyond the end of the file (1200 bytes)"
};

// Parses a header (the JSON between length and data). `data_bytes`: bytes that follow it in the file; every tensor must
// lie inside them, none may overlap another, and a known dtype times the shape must be the length.
std::variant<std::vector<StoredTensor>, HeaderError> parse_safetensors_header(std::string_view json,
                                                                              std::uint64_t data_bytes);

// Reads only the header of a file; one of more than 32 MiB is refused.
std::variant<std::vector<StoredTensor>, HeaderError> read_safetensors_header(const std::filesystem::path& file);

}  // namespace whyfail::fixer
