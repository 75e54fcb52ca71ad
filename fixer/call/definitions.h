// What the names mean that a pasted call is given: "quantization_config = BitsAndBytesConfig(load_in_8bit=True)"
// further up in the paste.
#pragma once

#include <string>
#include <vector>

#include "fixer/call/shown_code.h"

namespace whyfail::fixer {

// Whether there is a name to look for at all.
bool uses_names(const std::string& arguments);

// The assignments of the names in `arguments` (source text of a call's arguments) in `code`, and of names in these,
// each as it is written without its indentation, in the order of `code`. Names that different lines assign differently
// are left out, and those that many lines assign: which one counts is not seen. One pass over the lines for each of two
// levels.
std::vector<std::string> definitions_of(const ShownCode& code, const std::string& arguments);

}  // namespace whyfail::fixer
