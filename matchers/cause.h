// Which exception of a chain is a known one.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "matchers/clean_text.h"
#include "matchers/confirmation.h"
#include "matchers/traceback.h"

namespace whyfail::matchers {

struct Cause {
  std::size_t exception;  // index into the chain's `raised`
  Confirmed confirmed;
};

// Walks back from the last exception through both connectives; the first known one is the answer.
std::optional<Cause> find_cause(Confirmation& confirmation, const CleanText& clean, const Chain& chain);

// Whether a chain only reports that another process failed (torchrun, accelerate launch, multiprocessing).
bool is_launcher_trailer(const Chain& chain);

// Whether an exception class, dotted or not, may carry the pattern's message.
bool may_carry(const Pattern& pattern, std::string_view exception);

// Whether the frames that the pattern asks for are there.
bool believed(const Pattern& pattern, const Chain& chain, const Raised& raised);

// Squeezed byte of `piece` (which reaches from raised.clean_begin) where the message begins, behind "Type: ".
std::size_t message_start(const Piece& piece, const Raised& raised);

}  // namespace whyfail::matchers
