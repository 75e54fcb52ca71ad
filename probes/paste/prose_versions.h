// Versions that a sentence names.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace whyfail::probes::paste {

// "transformers 5.5.0, torch 2.15.0", "torch==2.4.0": name as written, in lower case, to version; pytorch is torch.
// `alone`: only if the line is nothing else.
std::map<std::string, std::string> versions_in(std::string_view line, bool alone);

}  // namespace whyfail::probes::paste
