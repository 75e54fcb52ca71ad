// Blocks that the report on a paste and the plan share.
#include "cli/report_parts.h"

#include "cli/mask.h"
#include "cli/words.h"

namespace whyfail::cli {

void write_machine(Page& page, const Diagnosis& diagnosis) {
  const std::vector<Row> rows = machine_rows(diagnosis.facts);
  if (rows.empty() && !diagnosis.fix.model) return;
  page.heading(diagnosis.facts.machine_is_elsewhere ? "The machine of the paste (not this one)" : "Here");
  for (const Row& row : rows) page.row(row);
  if (diagnosis.fix.model) page.row({"model", model_words(*diagnosis.fix.model)});
}

void write_call(Page& page, const fixer::Fix& fix, const char* title) {
  page.heading(title);
  page.blank();
  if (!fix.before.empty()) page.line(fix.before.substr(0, fix.before.find_last_not_of('\n') + 1), Style::call);
  page.line(fix.call, Style::call);
  page.blank();
  const std::string both = fix.before + fix.call;
  if (masked(both) != both) page.paragraph("A secret or name in it is shown as <…>: put your own back.");
}

void write_terms(Page& page, const fixer::Fix& fix) {
  if (!fix.verified.empty()) page.paragraph("Checked: " + fix.verified + ".", 2);
  if (fix.safety == fixer::Safety::changes_results) page.paragraph("This changes the model's results.", 2);
  if (fix.safety == fixer::Safety::needs_review) page.paragraph("Look at it before you use it.", 2);
  if (!fix.cost.empty()) page.paragraph("Cost: " + fix.cost + ".", 2);
  for (const std::string& note : fix.notes) page.paragraph("Note: " + note + ".", 2);
}

void write_commands(Page& page, const fixer::Fix& fix) {
  if (fix.commands.empty()) return;
  page.heading("First");
  page.blank();
  for (const fixer::Command& command : fix.commands) {
    if (!command.line.empty()) page.line(command.line, Style::call);
  }
  page.blank();
  for (const fixer::Command& command : fix.commands) page.paragraph("- " + command.why, 2);
}

void write_needs(Page& page, const fixer::Fix& fix) {
  if (!fix.needs.empty()) page.heading("Not known");
  for (const fixer::Need& need : fix.needs)
    page.paragraph("- " + need.fact + ": " + need.why + ". To tell: " + need.how, 2);
}

}  // namespace whyfail::cli
