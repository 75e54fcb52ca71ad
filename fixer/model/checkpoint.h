// A checkpoint folder as from_pretrained reads it: config.json, and the weights of model.safetensors, its index and
// shards, or pytorch_model.bin. Only headers and file sizes are read.
// Which file wins: transformers 4.44.2 modeling_utils.py, PreTrainedModel.from_pretrained (safetensors before .bin,
// single file before index).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fixer/model/safetensors.h"

namespace whyfail::fixer {

struct Checkpoint {
  std::filesystem::path folder;
  std::optional<std::string> config;  // text of config.json
  bool has_weights = false;
  bool safetensors = true;               // the form of the weights
  std::vector<StoredTensor> tensors;     // from safetensors headers; empty: only names or sizes are known
  std::vector<std::string> names;        // from a .bin index: names without shapes
  std::uint64_t largest_file_bytes = 0;  // .bin: of its files; 0: not known
  std::uint64_t weight_bytes = 0;        // tensors' bytes; .bin: the index's total_size or the files' sizes
  std::string problem;                   // why the weights could not be read; empty: they could
};

// nullopt: not a folder, or it holds neither config.json nor weights.
std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& folder);

// Reads a whole text file of at most `limit` bytes; nullopt if it is larger or cannot be read.
std::optional<std::string> read_bounded(const std::filesystem::path& file, std::uint64_t limit);

}  // namespace whyfail::fixer
