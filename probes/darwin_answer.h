// What macOS tells of its memory and its GPU. Built on macOS only; recordings answer everywhere (darwin.json).
#pragma once

#include "probes/answers.h"

namespace whyfail::probes {

DarwinAnswer ask_darwin();

}  // namespace whyfail::probes
