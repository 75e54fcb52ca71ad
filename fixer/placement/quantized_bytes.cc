// bitsandbytes/functional.py quantize_4bit, QuantState; nn/modules.py Int8Params. The packed layers of other libraries:
// their sources stand with the declarations.
#include "fixer/placement/quantized_bytes.h"

namespace whyfail::fixer {

namespace {

std::uint64_t divided_up(std::uint64_t count, std::uint64_t by) { return count / by + (count % by != 0 ? 1 : 0); }

Tensor tensor(const char* name, std::uint64_t rows, std::uint64_t columns, DType dtype) {
  return {name, rows * columns, dtype, true, rows};
}

}  // namespace

std::uint64_t four_bit_bytes(std::uint64_t elements, bool double_quantization, std::uint64_t block) {
  const std::uint64_t blocks = divided_up(elements, block);
  const std::uint64_t code = 64;
  const std::uint64_t packed = divided_up(elements, 2);
  if (!double_quantization) return packed + 4 * blocks + code;
  const std::uint64_t nested_code = 1024;
  const std::uint64_t offset = 4;
  return packed + blocks + 4 * divided_up(blocks, 256) + nested_code + offset + code;
}

std::uint64_t eight_bit_bytes(std::uint64_t elements, std::uint64_t rows) { return elements + 4 * rows; }

std::vector<Tensor> gptq_tensors(std::uint64_t rows, std::uint64_t columns, std::uint64_t bits, std::uint64_t group) {
  if (rows % 32 != 0 || columns % 32 != 0 || (bits != 2 && bits != 3 && bits != 4 && bits != 8)) return {};
  const std::uint64_t groups = group == 0 ? 1 : divided_up(columns, group);
  return {tensor("qweight", columns / 32 * bits, rows, DType::int32),
          tensor("qzeros", groups, rows / 32 * bits, DType::int32), tensor("scales", groups, rows, DType::float16),
          tensor("g_idx", columns, 1, DType::int32)};
}

std::vector<Tensor> awq_tensors(std::uint64_t rows, std::uint64_t columns, std::uint64_t group) {
  const std::uint64_t per_group = group == 0 ? columns : group;
  if (per_group == 0 || columns % per_group != 0 || rows % 8 != 0) return {};
  const std::uint64_t groups = columns / per_group;
  return {tensor("qweight", columns, rows / 8, DType::int32), tensor("qzeros", groups, rows / 8, DType::int32),
          tensor("scales", groups, rows, DType::float16)};
}

std::vector<Tensor> fp8_tensors(std::uint64_t rows, std::uint64_t columns, std::uint64_t block_rows,
                                std::uint64_t block_columns) {
  const bool whole = block_rows == 0 || block_columns == 0;
  const std::uint64_t scale_rows = whole ? 1 : divided_up(rows, block_rows);
  const std::uint64_t scale_columns = whole ? 1 : divided_up(columns, block_columns);
  return {tensor("weight", rows, columns, DType::float8_e4m3),
          tensor("weight_scale_inv", scale_rows, scale_columns, DType::float32)};
}

std::uint64_t fp8_bytes(std::uint64_t rows, std::uint64_t columns) {
  constexpr std::uint64_t block = 128;
  return rows * columns + 4 * divided_up(rows, block) * divided_up(columns, block);
}

std::uint64_t quanto_bytes(std::uint64_t rows, std::uint64_t columns, std::uint64_t bits, std::uint64_t width) {
  const std::uint64_t outer = 2 * width;
  if (bits == 8) return rows * columns + rows * width + outer;
  std::uint64_t group = 128;
  if (columns > group) {
    while (columns % group != 0 && group > 32) group -= 32;
  }
  if (columns <= 128 || columns % group != 0) return divided_up(rows, 8 / bits) * columns + 2 * width * rows + outer;
  return divided_up(rows * columns, 8 / bits) + 2 * width * (rows * columns / group) + outer;
}

std::uint64_t torchao_int8_bytes(std::uint64_t rows, std::uint64_t columns) { return rows * columns + 5 * rows; }

std::uint64_t mxfp4_bytes(std::uint64_t rows, std::uint64_t columns) { return rows * (columns / 32) * 17; }

}  // namespace whyfail::fixer
