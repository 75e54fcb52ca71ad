// What a diagnosis looks like to its readers. Every text that is returned is masked (mask.h).
#pragma once

#include <string>

#include "cli/diagnose.h"
#include "cli/options.h"

namespace whyfail::cli {

// One line of JSON ("whyfail.report/1").
std::string report_json(const Diagnosis& diagnosis);
// For a terminal; with `color` with colour sequences.
std::string report_text(const Diagnosis& diagnosis, bool color);
// An answer to paste into a ticket.
std::string report_markdown(const Diagnosis& diagnosis);
// The answer of `whyfail plan`: the machine, the model and the fix of a diagnosis without a paste.
std::string report_plan(const Diagnosis& diagnosis, Format format, bool color);
// --quiet: the corrected call alone (with the lines that must stand before it), or nothing.
std::string report_call(const Diagnosis& diagnosis);

}  // namespace whyfail::cli
