// The steps of cleaning, one kind of showing each. Every one takes the text so far and gives the next one, with the
// places in the paste kept; a text without traces of its kind goes through unchanged. All are linear in the text.
#pragma once

#include "matchers/clean_text.h"

namespace whyfail::matchers {

CleanText without_mail_encoding(CleanText text);       // quoted-printable
CleanText without_html(CleanText text);                // pages, tags, character references
CleanText without_json(CleanText text);                // notebooks, terminal recordings, log lines
CleanText without_typed_escapes(CleanText text);       // a text shown as the inside of a string: \n, \", \u001b
CleanText without_colours(CleanText text);             // terminal sequences, also with their escape character lost
CleanText without_code_pages(CleanText text);          // UTF-8 shown in a console's code page
CleanText with_plain_characters(CleanText text);       // no-break blanks, curly quotes, control characters
CleanText without_doubled_lines(CleanText text);       // an empty line after every line
CleanText without_prefixes(CleanText text);            // quoting, ranks, containers, timestamps before every line
CleanText without_quotes(CleanText text);              // part of without_prefixes: "> "
CleanText without_common_indentation(CleanText text);  // … blocks set in by blanks
CleanText without_rank_marks(CleanText text);          // … "[rank0]: "
CleanText without_container_times(CleanText text);     // … "2025-03-14T10:21:00.137Z stderr F "
CleanText without_assertion_marks(CleanText text);     // pytest's "E   "
CleanText without_powershell_frames(CleanText text);   // the record that PowerShell 5.1 makes of native errors
CleanText without_boxes(CleanText text);               // Rich's borders
CleanText without_wraps(CleanText text);               // lines broken at a terminal's width
CleanText with_labelled_exceptions(CleanText text);    // "Exception Type: …", "Exception Message: …"
CleanText with_line_breaks(CleanText text);            // a traceback flattened into one line

}  // namespace whyfail::matchers
