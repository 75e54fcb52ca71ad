// Finds and reads the files of a checkpoint folder.
#include "fixer/model/checkpoint.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace whyfail::fixer {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::uint64_t largest_config = std::uint64_t{16} << 20;
constexpr std::uint64_t largest_index = std::uint64_t{100} << 20;
constexpr std::size_t most_shards = 5000;

bool is_file(const fs::path& path) {
  std::error_code problem;
  return fs::is_regular_file(path, problem);
}

std::uint64_t size_of(const fs::path& path) {
  std::error_code problem;
  const std::uint64_t size = fs::file_size(path, problem);
  return problem ? 0 : size;
}

struct Index {
  std::set<std::string> files;
  std::vector<std::string> names;
  std::optional<std::uint64_t> total_size;
};

// A shard is named by its file name alone; a path that leads out of the folder is not followed.
bool plain_file_name(const std::string& name) {
  return !name.empty() && name.size() < 256 && name.find('/') == std::string::npos &&
         name.find('\\') == std::string::npos && name.find('\0') == std::string::npos && name != "." && name != "..";
}

std::optional<Index> read_index(const fs::path& file, std::string& problem) {
  const std::string shown = file.filename().string();
  const auto text = read_bounded(file, largest_index);
  if (!text) {
    problem = shown + " cannot be read, or is larger than 100 MiB";
    return std::nullopt;
  }
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object()) {
    problem = shown + " is no index of weights";
    return std::nullopt;
  }
  Index index;
  for (const auto& [name, shard] : json["weight_map"].items()) {
    if (!shard.is_string() || !plain_file_name(shard.get<std::string>())) {
      problem = shown + " names a file that is no plain file name";
      return std::nullopt;
    }
    index.names.push_back(name);
    index.files.insert(shard.get<std::string>());
  }
  if (index.files.size() > most_shards) {
    problem = shown + " names more files than any model has";
    return std::nullopt;
  }
  const auto metadata = json.find("metadata");
  if (metadata != json.end() && metadata->is_object() && metadata->contains("total_size") &&
      (*metadata)["total_size"].is_number_unsigned()) {
    index.total_size = (*metadata)["total_size"].get<std::uint64_t>();
  }
  return index;
}

void read_safetensors_file(const fs::path& file, Checkpoint& checkpoint) {
  auto header = read_safetensors_header(file);
  if (auto* error = std::get_if<HeaderError>(&header)) {
    if (checkpoint.problem.empty()) checkpoint.problem = file.filename().string() + ": " + error->why;
    return;
  }
  for (StoredTensor& tensor : std::get<std::vector<StoredTensor>>(header)) {
    checkpoint.weight_bytes += tensor.bytes;
    checkpoint.tensors.push_back(std::move(tensor));
  }
}

void read_safetensors_shards(const fs::path& index_file, Checkpoint& checkpoint) {
  const auto index = read_index(index_file, checkpoint.problem);
  if (!index) return;
  for (const std::string& name : index->files) {
    const fs::path shard = checkpoint.folder / name;
    if (is_file(shard)) {
      read_safetensors_file(shard, checkpoint);
    } else if (checkpoint.problem.empty()) {
      checkpoint.problem = name + " is missing (" + index_file.filename().string() + " names it)";
    }
  }
  if (!checkpoint.problem.empty() && index->total_size) checkpoint.weight_bytes = *index->total_size;
  if (!checkpoint.problem.empty()) checkpoint.names = index->names;
}

void read_bin_shards(const fs::path& index_file, Checkpoint& checkpoint) {
  auto index = read_index(index_file, checkpoint.problem);
  if (!index) return;
  checkpoint.names = std::move(index->names);
  for (const std::string& name : index->files) {
    const std::uint64_t size = size_of(checkpoint.folder / name);
    checkpoint.weight_bytes += size;
    checkpoint.largest_file_bytes = std::max(checkpoint.largest_file_bytes, size);
  }
  if (index->total_size) checkpoint.weight_bytes = *index->total_size;
}

void read_weights(Checkpoint& checkpoint) {
  const fs::path& folder = checkpoint.folder;
  checkpoint.has_weights = true;
  if (is_file(folder / "model.safetensors")) return read_safetensors_file(folder / "model.safetensors", checkpoint);
  if (is_file(folder / "model.safetensors.index.json")) {
    return read_safetensors_shards(folder / "model.safetensors.index.json", checkpoint);
  }
  checkpoint.safetensors = false;
  if (is_file(folder / "pytorch_model.bin")) {
    checkpoint.weight_bytes = checkpoint.largest_file_bytes = size_of(folder / "pytorch_model.bin");
    return;
  }
  if (is_file(folder / "pytorch_model.bin.index.json")) {
    return read_bin_shards(folder / "pytorch_model.bin.index.json", checkpoint);
  }
  checkpoint.has_weights = false;
  checkpoint.safetensors = true;
}

}  // namespace

std::optional<std::string> read_bounded(const fs::path& file, std::uint64_t limit) {
  if (!is_file(file)) return std::nullopt;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  std::string text;
  std::string block(std::size_t{64} << 10, '\0');
  while (stream) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > limit) return std::nullopt;
  }
  return text;
}

std::optional<Checkpoint> read_checkpoint(const fs::path& folder) {
  std::error_code problem;
  if (!fs::is_directory(folder, problem)) return std::nullopt;
  Checkpoint checkpoint;
  checkpoint.folder = folder;
  if (is_file(folder / "config.json")) {
    checkpoint.config = read_bounded(folder / "config.json", largest_config);
    if (!checkpoint.config) checkpoint.problem = "config.json cannot be read, or is larger than 16 MiB";
  }
  read_weights(checkpoint);
  if (!checkpoint.config && !checkpoint.has_weights && checkpoint.problem.empty()) return std::nullopt;
  return checkpoint;
}

}  // namespace whyfail::fixer
