// Bytes that a quantized layer really takes, state included; placement counts less (see sizes.h). `rows` and `columns`
// are those of the layer's weight: its outputs and its inputs.
#pragma once

#include <cstdint>
#include <vector>

#include "fixer/placement/module_tree.h"

namespace whyfail::fixer {

// bitsandbytes 0.50.2, equal to the byte for 40 shapes: nf4 and fp4 in blocks of 64 weights with a float32 maximum each
// and a code of 16 float32; double quantization keeps the maxima in bytes, blocks of 256 of them with a float32, a code
// of 256 float32 and an offset. `block`: blocksize of quantize_4bit; transformers never asks for another than 64.
std::uint64_t four_bit_bytes(std::uint64_t elements, bool double_quantization, std::uint64_t block = 64);

// int8 weights and one float32 a row.
std::uint64_t eight_bit_bytes(std::uint64_t elements, std::uint64_t rows);

// The tensors that take the place of a layer's weight in a checkpoint that is quantized already. `group`: weights that
// share a scale; 0: all of a row. Empty: the library makes no layer of this shape.

// Buffers qweight, qzeros, scales, g_idx; the same in auto_gptq 0.7.1 (nn_modules/qlinear: exllama, exllamav2, cuda,
// cuda_old, triton) and gptqmodel 7.3.4 (nn_modules/qlinear/torch.py), with and without desc_act. `bits` 2, 3, 4 or 8.
// Sizes that are no multiples of 32 are left out: there the packages differ.
std::vector<Tensor> gptq_tensors(std::uint64_t rows, std::uint64_t columns, std::uint64_t bits, std::uint64_t group);

// autoawq 0.2.6 awq/modules/linear/gemm.py WQLinear_GEMM (4 bits, the only width there): buffers qweight, qzeros,
// scales; the same in its exllama layers and in gptqmodel 7.3.4 (nn_modules/qlinear/torch_awq.py). The layouts gemv,
// gemv_fast and marlin have other buffers.
std::vector<Tensor> awq_tensors(std::uint64_t rows, std::uint64_t columns, std::uint64_t group);

// transformers 5.23.0 integrations/finegrained_fp8.py FP8Linear: parameters weight and weight_scale_inv, a float32 for
// each block. `block_rows` 0: one scale for the whole layer.
std::vector<Tensor> fp8_tensors(std::uint64_t rows, std::uint64_t columns, std::uint64_t block_rows,
                                std::uint64_t block_columns);

// The same made while loading, which the library always does in blocks of 128 × 128 unless told otherwise.
std::uint64_t fp8_bytes(std::uint64_t rows, std::uint64_t columns);

// optimum-quanto 0.2.7 nn/qmodule.py QLinear, frozen: `bits` 8 (int8, float8), 4 or 2; scales (and shifts, below 8
// bits) and the scales of inputs and outputs in the model's dtype, of `width` bytes. Below 8 bits they belong to groups
// of 128, 96, 64 or 32 weights of a row, the largest that divides it, or to a whole row.
std::uint64_t quanto_bytes(std::uint64_t rows, std::uint64_t columns, std::uint64_t bits, std::uint64_t width);

// torchao 0.18.0 Int8WeightOnlyConfig: a float32 scale and an int8 zero point a row.
std::uint64_t torchao_int8_bytes(std::uint64_t rows, std::uint64_t columns);

// OCP MX FP4 as gpt-oss stores it (transformers 4.57.6 integrations/mxfp4.py Mxfp4GptOssExperts): two weights a byte
// and a byte of scale for each 32 weights of a row; what is left of a row has no room there.
std::uint64_t mxfp4_bytes(std::uint64_t rows, std::uint64_t columns);

}  // namespace whyfail::fixer
