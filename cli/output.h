// The door to standard output and standard error. Secrets are masked by whoever makes the text (mask.h); here control
// characters are kept out of what a terminal gets, and a reader that has gone away (`| head -1`) is no error.
#pragma once

#include <string_view>

#include "cli/options.h"

namespace whyfail::cli {

// Throws Failure if standard output cannot be written (a full disk), but not if nobody reads it any more.
void print(std::string_view text);
// One line: "whyfail: MESSAGE", masked.
void print_error(std::string_view message);

// The bytes as they are.
void pass_to_standard_error(std::string_view bytes);

// Whether text for this output may hold colour sequences: --color, NO_COLOR, TERM, terminal.
bool colors_wanted(Color color);
// The same for standard error.
bool error_colors_wanted(Color color);

}  // namespace whyfail::cli
