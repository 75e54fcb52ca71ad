// Where a script puts the model after loading it: model.to("cuda"), model.cuda(), .to() chained to the loading call,
// pipeline(model=model, device=0).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fixer/call/python.h"
#include "fixer/placement/place.h"

namespace whyfail::fixer {

struct Move {
  Call call;              // the moving call
  bool chained = false;   // stands directly behind the loading call
  bool pipeline = false;  // pipeline(..., device=…)
  bool casts = false;     // .half(), .float(), .to(torch.float16): no device
  std::optional<Device> device;
};

// Moves of the object that `loading` makes, in the order of the text. `target`: the name it is assigned to, if any.
std::vector<Move> moves_after(const Script& script, const Call& loading);

// The name on the left of "name = X.from_pretrained(…)"; empty if there is none.
std::string target_of(const Script& script, const Call& loading);

}  // namespace whyfail::fixer
