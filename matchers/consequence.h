// An error that is only there because an earlier one was: in a notebook, a cell uses a name that the cell before it
// would have set, had it not failed.
#pragma once

#include "matchers/traceback.h"

namespace whyfail::matchers {

// Whether `later` is "NameError: name 'x' is not defined" and `earlier` stopped on a line that sets x.
bool is_consequence(const Chain& later, const Chain& earlier);

}  // namespace whyfail::matchers
