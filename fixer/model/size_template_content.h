// What a size template holds once parsed; shared by the files that read it, and by nothing else.
#pragma once

#include <nlohmann/json.hpp>

#include "fixer/model/size_template.h"

namespace whyfail::fixer {

// NOLINTNEXTLINE(bugprone-exception-escape): json has throwing functions, and none of them is in its destructor.
struct SizeTemplate::Content {
  nlohmann::json facts;  // an object with "tree"
};

}  // namespace whyfail::fixer
