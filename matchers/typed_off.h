// Messages that a person typed off a screen: two neighbouring letters stand in the wrong order here and there, the rest
// is the library's text. Other differences are not forgiven: they may be another message.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "matchers/clean_text.h"
#include "matchers/confirmation.h"

namespace whyfail::matchers {

// The wording that `piece` has from squeezed byte stretch.begin on, with one to three swaps; `exception` is its class.
// Places and captures are those of the text with the letters in order.
std::optional<Confirmed> confirm_typed_off(Confirmation& confirmation, const Piece& piece, Stretch stretch,
                                           std::string_view exception);

// In text without tracebacks: behind "SomeError: ".
struct TypedOff {
  Confirmed confirmed;
  std::string_view exception;  // in clean.text()
};
std::optional<TypedOff> find_typed_off(Confirmation& confirmation, const CleanText& clean);

}  // namespace whyfail::matchers
