// Where a script puts the model after loading it: model.to("cuda"), model.cuda(), .to() chained to the loading call,
// pipeline(model=model, device=0).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fixer/call/python.h"
#include "fixer/model/model.h"
#include "fixer/placement/place.h"
#include "fixer/plan/load_call.h"

namespace whyfail::fixer {

struct Move {
  Call call;                   // the moving call
  bool chained = false;        // stands directly behind the loading call
  bool pipeline = false;       // pipeline(..., device=…)
  bool casts = false;          // .half(), .float(), .to(torch.float16)
  std::optional<DType> dtype;  // to which; nullopt where the text does not tell
  std::optional<Device> device;
};

// Moves of the object that `loading` makes, in the order of the text; in functions of this text to which it is given,
// too.
std::vector<Move> moves_after(const Script& script, const Call& loading);

// The type of the weights when the last of the moves puts them on their device, if casts before it changed the one in
// which they were loaded; nullopt: none did, or a cast of this model is refused or reaches a part of it only.
std::optional<DType> dtype_when_moved(const LoadCall& load, const std::vector<Move>& moves);

// The model with all its floating tensors in that type, as .half() and the like leave it.
Model cast_to(Model model, DType type);

// The name on the left of "name = X.from_pretrained(…)"; empty if there is none.
std::string target_of(const Script& script, const Call& loading);

}  // namespace whyfail::fixer
