// Machine descriptions that a person or a support desk hands over: the JSON contract (whyfail.machine/1) and the short
// form of the command line.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "probes/sources.h"

namespace whyfail::probes {

// `name` is how messages call the text: a file name. A key that is null counts as missing; a key of the wrong type, a
// negative size or free above total is refused, because a call computed from it would be wrong.
std::variant<Machine, BadDescription> machine_from_json(std::string_view text, const std::string& name);

// "gpu=24GiB:22.5GiB free,gpu=8GiB,ram=64GiB,disk=500GiB,os=windows,transformers=4.44.2". `ram` is what is available;
// "gpu=none" says that there is none; any other name is a Python package.
std::variant<Machine, BadDescription> machine_from_short_form(std::string_view text);

}  // namespace whyfail::probes
