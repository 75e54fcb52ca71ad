// The order in which an island is cleaned: from the outermost wrapping to the innermost.
#include "matchers/clean.h"

#include <utility>

#include "matchers/clean_encoding.h"
#include "matchers/clean_steps.h"

namespace whyfail::matchers {

CleanText clean(const Island& island) {
  CleanText text = decode(island);
  text = without_mail_encoding(std::move(text));
  text = without_html(std::move(text));
  if (text.text().find("{\"") != std::string::npos) text = without_wraps(std::move(text));
  text = without_json(std::move(text));
  text = without_typed_escapes(std::move(text));
  if (text.text().find("[39m") != std::string::npos) text = without_wraps(std::move(text));
  text = without_colours(std::move(text));
  CleanText put_right = without_code_pages(text);
  if (put_right.text().size() != text.text().size()) {
    // A wrap was counted in what was shown.
    text = without_code_pages(without_wraps(std::move(text)));
  }
  text = with_plain_characters(std::move(text));
  text = without_doubled_lines(std::move(text));
  // A wrap is seen before the prefixes are off where it came after them, and after that where it came before.
  text = without_wraps(std::move(text));
  text = without_prefixes(std::move(text));
  text = without_assertion_marks(std::move(text));
  text = without_powershell_frames(std::move(text));
  text = with_line_breaks(std::move(text));
  text = with_labelled_exceptions(std::move(text));
  text = without_boxes(std::move(text));
  return without_wraps(std::move(text));
}

}  // namespace whyfail::matchers
