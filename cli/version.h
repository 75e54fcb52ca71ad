// The version that --version prints.
#pragma once

namespace whyfail::cli {

extern const char* const version;  // "0.1.0"

}  // namespace whyfail::cli
