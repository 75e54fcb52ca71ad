// Calls of a loading function that are written in another way: handed to something that calls it (functools.partial,
// asyncio.to_thread, an executor's submit), under another name (load = AutoModel.from_pretrained), or through a
// function of this text that hands its ** on (def load(path, **options): return AutoModel.from_pretrained(path,
// **options)).
#pragma once

#include <optional>
#include <vector>

#include "fixer/call/python.h"

namespace whyfail::fixer {

// The call of the loading function that `call` comes to, with its callee, receiver and arguments; ranges stay those of
// the call as written, so edits work on it. `call` itself where there is nothing to see through.
Call seen_through(const Script& script, Call call);
// The only call of the function in which `loading` stands, where it gives that call its ** arguments; seen through.
std::optional<Call> caller_with_arguments(const Script& script, const Call& loading);
// Script::calls() and calls_on_line(), each seen through.
std::vector<Call> calls_seen_through(const Script& script);
std::vector<Call> calls_seen_through_on_line(const Script& script, int line);

}  // namespace whyfail::fixer
