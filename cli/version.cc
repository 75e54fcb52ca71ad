// The one place that holds the version text.
#include "cli/version.h"

namespace whyfail::cli {

const char* const version = "0.1.0";

}  // namespace whyfail::cli
