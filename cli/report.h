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
// The answer of `whyfail plan` (plan_text.cc): the machine, where `model` goes, the call; `explain`: why each device
// ends where it does.
std::string report_plan(const Diagnosis& diagnosis, const std::string& model, Format format, bool color, bool explain);
// --quiet: the corrected call alone (with the lines that must stand before it), or nothing.
std::string report_call(const Diagnosis& diagnosis);

}  // namespace whyfail::cli
