// A file's bytes, mapped: opening costs the same whatever the file's size, and only the pages that are asked for are
// read.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace whyfail::kb {

class FileBytes {
 public:
  // nullopt: not there, not a regular file, not readable, or empty.
  static std::optional<FileBytes> map(const std::filesystem::path& file);

  FileBytes(FileBytes&& other) noexcept;
  FileBytes& operator=(FileBytes&& other) noexcept;
  ~FileBytes();

  std::string_view view() const { return bytes_; }

 private:
  explicit FileBytes(std::string_view bytes) : bytes_(bytes) {}
  std::string_view bytes_;
};

}  // namespace whyfail::kb
