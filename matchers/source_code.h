// Messages that a text only mentions: strings in source code, catalogues of texts, diffs, comments.
#pragma once

#include <cstddef>
#include <string_view>

namespace whyfail::matchers {

// The line's text before a place.
std::string_view before_on_line(std::string_view text, std::size_t position);

// Whether what begins at `position` (a message, or the exception's class before it) is a text in source code: assigned,
// passed, returned, raised, the value of a key that names no error, or in a comment or a docstring's list of
// exceptions. A value under a key like "error" or "message" is a report, not source.
bool in_source(std::string_view text, std::size_t position);

// Whether a key is one under which records and answers of servers have what went wrong: "error", "exc_message" …
bool names_report(std::string_view key);

}  // namespace whyfail::matchers
