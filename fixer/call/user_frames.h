// Which frames of a traceback are the user's own code.
#pragma once

#include <string_view>

namespace whyfail::fixer {

// False for installed packages, the standard library, launchers and frozen or compiled modules. `file` as a traceback
// prints it, on any system: "C:\\proj\\run.py", "Cell In[2]", "<stdin>", "~/venv/lib/python3.11/site-packages/…".
bool is_users_own(std::string_view file);

}  // namespace whyfail::fixer
