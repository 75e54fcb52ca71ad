// The data folder as find_model sees it, and small things that several tests need.
#pragma once

#include <cstdint>
#include <string>

#include "fixer/model/model_data.h"

namespace whyfail::fixer {

// Reads data/size_templates, data/architectures and data/catalogue of the source tree.
const ModelData& model_data();

std::string read_text(const std::string& path);

// A tree as text, a line a module ("path class", or "path" alone) or tensor ("path elements dtype", buffers with
// "stored" or "not stored"), in order. With rows: "path elements rows dtype".
std::string tree_text(const Module& root, bool with_classes, bool with_rows = false);
std::uint32_t crc32(const std::string& text);

}  // namespace whyfail::fixer
