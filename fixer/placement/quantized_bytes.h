// Bytes that a quantized layer really takes, state included; placement counts less (see sizes.h).
#pragma once

#include <cstdint>

namespace whyfail::fixer {

// bitsandbytes 0.50.2, equal to the byte for 40 shapes: nf4 and fp4 in blocks of 64 weights with a float32 maximum each
// and a code of 16 float32; double quantization keeps the maxima in bytes, blocks of 256 of them with a float32, a code
// of 256 float32 and an offset.
std::uint64_t four_bit_bytes(std::uint64_t elements, bool double_quantization);

// int8 weights and one float32 a row.
std::uint64_t eight_bit_bytes(std::uint64_t elements, std::uint64_t rows);

}  // namespace whyfail::fixer
