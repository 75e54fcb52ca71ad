// What a pair of library releases does when it places a model, as plain options. rules_for() is the only place in the
// program that knows which release behaves how; each row in rules.cc names its source.
#pragma once

#include <optional>
#include <string>

#include "kb/release.h"

namespace whyfail::fixer {

// Fields are added as the allocators need them; each says which releases differ and where that was read or seen.
struct Rules {
  kb::Release transformers;
  kb::Release accelerate;
  bool own_allocator = false;  // transformers 5 places models itself; 4.x calls accelerate
};

Rules rules_for(const kb::Release& transformers, const kb::Release& accelerate);

}  // namespace whyfail::fixer
