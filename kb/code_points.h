// Text as code points, folded so that letter case and accents do not count.
#pragma once

#include <string>
#include <string_view>

namespace whyfail::kb {

// Lower case, accents off, runs of white space as one blank. Bytes that are no UTF-8 become U+FFFD.
std::u32string folded(std::string_view text);

// Scripts that write words without blanks between them, or with endings at once: Han, kana, Hangul.
bool is_unspaced(char32_t sign);
// A letter, digit or underscore of a script that writes blanks.
bool is_word_sign(char32_t sign);

}  // namespace whyfail::kb
