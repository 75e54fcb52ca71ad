// Where the bytes of a paste come from: a pipe, a file, or a text in memory.
#pragma once

#include <cstddef>
#include <string_view>

namespace whyfail::matchers {

// read() fills up to `size` bytes and returns how many; 0 is the end.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::size_t read(char* buffer, std::size_t size) = 0;
};

// A text in memory, which must outlive the source.
class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string_view text) : rest_(text) {}
  std::size_t read(char* buffer, std::size_t size) override {
    const std::size_t count = rest_.copy(buffer, size);
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

}  // namespace whyfail::matchers
