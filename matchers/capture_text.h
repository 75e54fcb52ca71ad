// A capture as it was written: cut out of the clean text, without its quotes, without the line breaks of wrapping.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "matchers/pattern.h"

namespace whyfail::matchers {

// `written` reaches from the sign before the capture to the sign after it, so that it holds the quotes around it.
// nullopt: it can't be a capture of this kind (a word with a blank in it).
std::optional<std::string> capture_text(std::string_view written, CaptureKind kind);

// `text` on one line, runs of white space as one blank, none at the ends.
std::string one_line(std::string_view text);

}  // namespace whyfail::matchers
