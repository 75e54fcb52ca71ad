// What expressions evaluate to, as far as the text tells.
#pragma once

#include <string>
#include <string_view>

#include "fixer/call/syntax.h"

namespace whyfail::fixer {

// Follows names, parameters of functions that are called once in this text, attributes of classes that only hold
// constants, and changes to a dict between its assignment and the expression. Work and depth are bounded; beyond, and
// for all that isn't plain, the kind is `unknown`. A dict that may hold more than can be told ends in a pair of
// unknowns.
Value evaluate(const Script::Parts& parts, TokenRange expression);

// `dotted` with its first name, which stands at tokens.first, replaced by what an import bound it to.
std::string qualified_name(const Script::Parts& parts, TokenRange tokens, std::string_view dotted);

// The text between the quotes of a string, escapes decoded unless raw. False: an escape that names a character.
bool decode_text(std::string_view body, bool raw, std::string& decoded);
// The text of a string token: prefix and quotes off, escapes decoded. False: bytes, or an escape that names a
// character.
bool decode_string(std::string_view token, std::string& decoded);

}  // namespace whyfail::fixer
