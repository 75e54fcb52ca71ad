// mmap, and nothing else.
#include "kb/file_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace whyfail::kb {

std::optional<FileBytes> FileBytes::map(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  struct stat status {};
  void* bytes = MAP_FAILED;
  std::size_t size = 0;
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    size = static_cast<std::size_t>(status.st_size);
    bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  }
  ::close(descriptor);
  if (bytes == MAP_FAILED) return std::nullopt;
  return FileBytes(std::string_view(static_cast<const char*>(bytes), size));
}

FileBytes::FileBytes(FileBytes&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

FileBytes& FileBytes::operator=(FileBytes&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

FileBytes::~FileBytes() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace whyfail::kb
