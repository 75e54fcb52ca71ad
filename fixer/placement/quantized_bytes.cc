// bitsandbytes/functional.py quantize_4bit, QuantState; nn/modules.py Int8Params.
#include "fixer/placement/quantized_bytes.h"

namespace whyfail::fixer {

namespace {

std::uint64_t divided_up(std::uint64_t count, std::uint64_t by) { return count / by + (count % by != 0 ? 1 : 0); }

}  // namespace

std::uint64_t four_bit_bytes(std::uint64_t elements, bool double_quantization) {
  const std::uint64_t blocks = divided_up(elements, 64);
  const std::uint64_t code = 64;
  const std::uint64_t packed = divided_up(elements, 2);
  if (!double_quantization) return packed + 4 * blocks + code;
  const std::uint64_t nested_code = 1024;
  const std::uint64_t offset = 4;
  return packed + blocks + 4 * divided_up(blocks, 256) + nested_code + offset + code;
}

std::uint64_t eight_bit_bytes(std::uint64_t elements, std::uint64_t rows) { return elements + 4 * rows; }

}  // namespace whyfail::fixer
