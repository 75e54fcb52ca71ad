// Trees and headers side by side: a tree made from a checkpoint's names alone, and the check of a tree against them.
#pragma once

#include <string>
#include <vector>

#include "fixer/model/class_facts.h"
#include "fixer/model/safetensors.h"
#include "fixer/placement/module_tree.h"

namespace whyfail::fixer {

// Modules by dotted name, in natural order (layer 2 before layer 10); classes are not known and empty. Floating tensors
// get `dtype`.
Module tree_from_names(const std::vector<StoredTensor>& tensors, DType dtype);

struct Agreement {
  std::size_t matched = 0;     // stored tensors found in the tree under their name
  std::size_t different = 0;   // found with another size: the tree now has the stored one
  std::size_t missing = 0;     // parameters of the tree that the checkpoint lacks, but for tied and converted ones
  std::size_t unexpected = 0;  // stored tensors that the tree lacks, but for converted ones
  std::string example;         // one name that differs or is missing
};

// Compares, and takes the checkpoint's word for sizes. Names may lack or have the base model's prefix, and may be
// converted by the release.
Agreement reconcile(ModuleTree& tree, const std::vector<StoredTensor>& tensors, const KnownClass& known);

// For a checkpoint that is quantized already: every module takes the tensors that are stored under its name in place of
// its own. How many modules did.
std::size_t take_packed(ModuleTree& tree, const std::vector<StoredTensor>& tensors, const KnownClass& known);

}  // namespace whyfail::fixer
