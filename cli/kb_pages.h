// What `whyfail kb` prints: pages of text and of JSON about entries, wordings and findings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/knowledge.h"
#include "kb/build/build.h"
#include "kb/knowledge_base.h"
#include "matchers/reading.h"
#include "matchers/trial.h"

namespace whyfail::cli {

std::string list_page(const std::vector<kb::FailureSummary>& failures, bool json);
std::string entry_page(const kb::Failure& failure, const std::vector<kb::WordingSummary>& wordings,
                       const kb::EntryOrigin& origin, bool json);
std::string search_page(const std::vector<kb::Similar>& found, bool json);
// One line a finding: "file:line: reason".
std::string findings_page(const std::string& folder, const kb::BuildResult& result);
// The error that was read, which patterns were looked at, what each lacks, and which one won; for an error that is not
// known, the entries that have words like it.
std::string trial_page(const std::vector<matchers::Trial>& trials, const matchers::Reading& reading,
                       const Knowledge& knowledge);

}  // namespace whyfail::cli
