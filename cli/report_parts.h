// Blocks that the report on a paste and the plan share.
#pragma once

#include "cli/diagnose.h"
#include "cli/page.h"

namespace whyfail::cli {

// GPUs, memory, disks and the model, with where each figure comes from; nothing if nothing is known.
void write_machine(Page& page, const Diagnosis& diagnosis);
// The call as a block of its own under a heading, with the lines that must stand before it.
void write_call(Page& page, const fixer::Fix& fix, const char* title);
// What was checked, what it changes, what it costs.
void write_terms(Page& page, const fixer::Fix& fix);
// Steps outside of the script: packages, environment lines.
void write_commands(Page& page, const fixer::Fix& fix);
// Facts that are missing and how to tell them.
void write_needs(Page& page, const fixer::Fix& fix);

}  // namespace whyfail::cli
