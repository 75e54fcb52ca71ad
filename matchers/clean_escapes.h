// Escapes of JSON and Python strings, typed out.
#pragma once

#include <cstddef>
#include <string>

#include "matchers/clean_text.h"

namespace whyfail::matchers {

// Appends bytes [begin, end) of `text`, the inside of a string literal, with its escapes resolved. \r\n and \r become
// \n.
void append_unescaped(CleanText& out, const CleanText& text, std::size_t begin, std::size_t end);

// The code point as UTF-8.
std::string encoded(unsigned point);

}  // namespace whyfail::matchers
