// whyfail fix FILE.py: rewrites the call that failed. Declined unless the call was read whole out of that file and the
// rewritten one was checked.
#include <filesystem>

#include "cli/commands.h"
#include "cli/diagnose.h"
#include "cli/input.h"
#include "cli/mask.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/unified_diff.h"

namespace whyfail::cli {
namespace {

std::string last_part(const std::string& path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

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

void apply(const Options& options, const std::string& before, const fixer::Fix& plan) {
  const std::string& file = options.words.front();
  if (read_text_file(file) != before) throw Failure(file + ": was changed by somebody else meanwhile; run it again");
  if (options.backup) {
    std::error_code error;
    std::filesystem::copy_file(file, file + ".bak", std::filesystem::copy_options::overwrite_existing, error);
    if (error) throw Failure(file + ".bak: cannot be written: " + error.message());
  }
  replace_file(file, plan.rewritten);
}

}  // namespace

int fix_command(const Options& options) {
  const std::string& file = options.words.front();
  const std::optional<std::string> text = read_text_file(file);
  if (!text) throw Failure(file + ": cannot be read, or is no file of at most 16 MiB");
  const Knowledge knowledge(options.kb_files);
  const fixer::ReadSource read_source = [&](const std::string& named) -> std::optional<std::string> {
    if (last_part(named) == last_part(file)) return text;
    return std::nullopt;  // only FILE may be rewritten
  };
  const Diagnosis diagnosis =
      diagnose(*open_paste(options.trace.empty() ? "-" : options.trace), knowledge, options, read_source);
  std::string reason = reason_to_decline(diagnosis, file);
  const fixer::Fix* plan = reason.empty() ? plan_to_apply(diagnosis.fix, options) : nullptr;
  if (reason.empty() && plan == nullptr)
    reason = "every plan changes the model's results, and --prefer exact was given";
  if (options.format == Format::json) print(report_json(diagnosis));
  if (plan == nullptr || plan->rewritten == *text) {
    print_error(file + " is left as it is: " + (reason.empty() ? "nothing would change" : reason));
    return 1;
  }
  if (plan->safety != fixer::Safety::same_results)
    print_error("this plan may change the model's results: " + plan->cost);
  if (options.apply) apply(options, *text, *plan);
  if (options.format != Format::json && !options.quiet) print(masked(unified_diff(*text, plan->rewritten, file)));
  return 0;
}

}  // namespace whyfail::cli
