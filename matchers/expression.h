// RE2 expressions over the squeezed form: how they are compiled, and how one that was written for plain text is turned
// into one for the squeezed form. Inside of matchers only.
#pragma once

#include <re2/re2.h>

#include <string>
#include <string_view>
#include <vector>

namespace whyfail::matchers {

// Bytes, not signs; '.' is every byte. An invalid expression gives !ok().
RE2::Options expression_options();

// Without the white space and quotes of its literals and classes; an atom of which nothing is left goes with its
// quantifier.
std::string squeeze_expression(std::string_view expression);

// An expression that matches every text with which a match of `squeezed_expression` can begin, if it holds `least`
// signs of its literals outside of groups, and ends within literals or anywhere. Empty: it can't be taken apart.
enum class CutIn { literals, anything };
std::string beginnings_of(std::string_view squeezed_expression, std::size_t least, CutIn cut);

// The literal texts outside of alternatives and optional groups, in order: what every match contains.
std::vector<std::string> literals_of(std::string_view squeezed_expression);
// The groups that hold nothing but literal alternatives: of each, every match contains one (joined by kAlternative).
std::vector<std::string> choices_of(std::string_view squeezed_expression);

}  // namespace whyfail::matchers
