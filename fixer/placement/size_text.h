// A budget written as text.
#pragma once

#include <string>

#include "fixer/placement/budgets.h"

namespace whyfail::fixer {

// "10GiB" → bytes by the rules of the release, or its ValueError / OverflowError. budget_bytes() of place.h is the
// same without the float/int distinction.
OrError<Amount> size_of_text(const std::string& text, const Rules& rules);

}  // namespace whyfail::fixer
