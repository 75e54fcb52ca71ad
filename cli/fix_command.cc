// whyfail fix FILE: rewrites the call that failed. Declined unless the call was read whole out of that file and the
// rewritten one was checked.
#include <filesystem>

#include "cli/commands.h"
#include "cli/diagnose.h"
#include "cli/fix_target.h"
#include "cli/input.h"
#include "cli/mask.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/unified_diff.h"

namespace whyfail::cli {
namespace {

// Why the file is left alone; empty: there is a change to make.
std::string reason_to_decline(const Diagnosis& diagnosis, const std::string& file) {
  if (diagnosis.failures.empty()) return "the traceback names no failure that is known";
  if (!diagnosis.call) return diagnosis.no_call;
  if (!diagnosis.call->script) return "the failing call was not found in " + file;
  switch (diagnosis.fix.status) {
    case fixer::FixStatus::ready:
      return diagnosis.fix.rewritten.empty() ? "the call needs no change" : std::string();
    case fixer::FixStatus::no_fit:
      return "nothing fits: " + diagnosis.fix.short_of;
    case fixer::FixStatus::changes_only:
      return "no call could be checked whole; the changes are in the report of 'whyfail'";
    case fixer::FixStatus::none:
      break;
  }
  return "no change of this call is known to help; 'whyfail' says what to do";
}

// The best plan that keeps results, else the best of all; nullptr: --prefer exact refuses it.
const fixer::Fix* plan_to_apply(const fixer::Fix& best, const Options& options) {
  if (best.safety == fixer::Safety::same_results) return &best;
  for (const fixer::Fix& other : best.alternatives) {
    if (other.status == fixer::FixStatus::ready && other.safety == fixer::Safety::same_results &&
        !other.rewritten.empty()) {
      return &other;
    }
  }
  return options.prefer == "exact" ? nullptr : &best;
}

void apply(const Options& options, const FixTarget& target, const std::string& new_code) {
  const std::string& file = target.file();
  if (read_text_file(file) != target.file_text())
    throw Failure(file + ": was changed by somebody else meanwhile; run it again");
  if (options.backup) {
    std::error_code error;
    std::filesystem::copy_file(file, file + ".bak", std::filesystem::copy_options::overwrite_existing, error);
    if (error) throw Failure(file + ".bak: cannot be written: " + error.message());
  }
  replace_file(file, target.file_with(new_code));
}

// The outputs of a notebook hold its own traceback.
std::string trace_of(const Options& options, const FixTarget& target) {
  if (!options.trace.empty()) return options.trace;
  return target.is_notebook() ? target.file() : "-";
}

}  // namespace

int fix_command(const Options& options) {
  FixTarget target(options.words.front());
  const Knowledge knowledge(options.kb_files);
  const fixer::ReadSource read_source = [&](const std::string& named) { return target.code(named); };
  const Diagnosis diagnosis = diagnose(*open_paste(trace_of(options, target)), knowledge, options, read_source);
  std::string reason = reason_to_decline(diagnosis, target.name());
  const fixer::Fix* plan = reason.empty() ? plan_to_apply(diagnosis.fix, options) : nullptr;
  if (reason.empty() && plan == nullptr)
    reason = "every plan changes the model's results, and --prefer exact was given";
  if (options.format == Format::json) print(report_json(diagnosis));
  if (plan == nullptr || plan->rewritten == target.old_code()) {
    print_error(target.name() + " is left as it is: " + (reason.empty() ? "nothing would change" : reason));
    return 1;
  }
  if (plan->safety != fixer::Safety::same_results)
    print_error("this plan may change the model's results: " + plan->cost);
  if (options.apply) apply(options, target, plan->rewritten);
  if (options.format != Format::json && !options.quiet)
    print(masked(unified_diff(target.old_code(), plan->rewritten, target.name())));
  return 0;
}

}  // namespace whyfail::cli
