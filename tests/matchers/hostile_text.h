// Text that is made to be slow or large to read, one function a kind, each grown to about `bytes`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "matchers/byte_source.h"

namespace whyfail::matchers {

inline std::string repeated(std::string_view unit, std::size_t bytes) {
  std::string text;
  text.reserve(bytes + unit.size());
  while (text.size() < bytes) text += unit;
  return text;
}

inline constexpr std::string_view kTracebackHead = "Traceback (most recent call last):\n";
inline constexpr std::string_view kDuring = "\nDuring handling of the above exception, another exception occurred:\n\n";
inline constexpr std::string_view kFrame =
    "  File \"/v/site-packages/transformers/modeling_utils.py\", line 3, in load\n    go(x)\n";

// A traceback whose message is `message`.
inline std::string raised(std::string_view message) {
  return std::string(kTracebackHead) + std::string(kFrame) + std::string(message) + "\n";
}

// Hands out `unit` again and again, behind `head`, without holding the whole; counts what was taken.
class Endless : public ByteSource {
 public:
  Endless(std::string head, std::string_view unit, std::uint64_t bytes)
      : block_(std::move(head)), unit_(unit), left_(bytes) {}

  std::size_t read(char* buffer, std::size_t size) override {
    if (at_ == block_.size()) {
      if (!repeating_) block_ = repeated(unit_, 1 << 16);
      repeating_ = true;
      at_ = 0;
    }
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>({size, block_.size() - at_, left_}));
    block_.copy(buffer, count, at_);
    at_ += count;
    left_ -= count;
    taken_ += count;
    return count;
  }
  std::uint64_t taken() const { return taken_; }

 private:
  std::string block_;
  std::string_view unit_;
  std::uint64_t left_;
  std::size_t at_ = 0;
  bool repeating_ = false;
  std::uint64_t taken_ = 0;
};

}  // namespace whyfail::matchers
