// Reads a file that may be compressed with gzip.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace whyfail::cli {

// The file's content, uncompressed. Nothing when it can't be read, is damaged, or holds more than `most_bytes`.
std::optional<std::string> read_gzip_file(const std::filesystem::path& path, std::size_t most_bytes);

}  // namespace whyfail::cli
