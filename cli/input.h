// The door to files and standard input.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "matchers/byte_source.h"

namespace whyfail::cli {

// A file, or with "-" standard input, read as it is needed. Throws Failure, which names the file.
std::unique_ptr<matchers::ByteSource> open_paste(const std::string& file);

// The whole of a text file of at most 16 MiB; nullopt: not there, not a file, too large.
std::optional<std::string> read_text_file(const std::string& file);

// Writes a file in one step: beside it, then over it, keeping its mode. Throws Failure.
void replace_file(const std::string& file, const std::string& text);

}  // namespace whyfail::cli
