// Which calls load a model or place its weights, and which call made an object.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fixer/call/python.h"

namespace whyfail::fixer {

// from_pretrained, from_config, pipeline, dispatch_model …: what transformers, accelerate, diffusers, peft, optimum and
// auto-gptq offer to load a model. The from_pretrained of a tokenizer, processor or configuration is none.
bool is_loading_call(const Call& call);
// False for a line that certainly holds none; quick.
bool may_hold_loading_call(std::string_view line);
// All of a script in the order of the text.
std::vector<Call> loading_calls(const Script& script);

// The loading call that made the object which `expression` yields: follows names, chained methods (.to(), .eval()),
// wrappers that hand a model on, and functions of this text that return it. nullopt: it can't be told.
std::optional<Call> loading_call_of(const Script& script, TextRange expression);
// The same for the object that a call works on: its receiver, else its argument `model`, else its first argument.
std::optional<Call> loading_call_behind(const Script& script, const Call& call);

}  // namespace whyfail::fixer
