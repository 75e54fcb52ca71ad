// Small models for the tests of this folder.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "fixer/placement/module_tree.h"

namespace whyfail::fixer {

Tensor tensor(std::string name, std::uint64_t rows, std::uint64_t columns, DType dtype = DType::float16);
Module leaf(std::string name, std::string class_name, std::vector<Tensor> parameters);

// A causal language model: embedding, `layers` layers of attention and mlp, norm, lm_head. float16.
ModuleTree language_model(int layers, std::uint64_t width, bool tied);

// Nested modules of a few classes ("A", "B", "C") with random sizes; no ties.
ModuleTree random_model(std::mt19937& random);

std::uint64_t total_bytes(const ModuleTree& tree);

}  // namespace whyfail::fixer
