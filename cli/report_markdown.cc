// The report as an answer to paste into a ticket.
#include "cli/mask.h"
#include "cli/report.h"
#include "cli/words.h"

namespace whyfail::cli {
namespace {

std::string code_block(const std::string& text) {
  // A fence longer than any run of backquotes in the text.
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return fence + "python\n" + text + "\n" + fence + "\n";
}

std::string bullet_lines(const std::string& text) {
  std::string list;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) list += "* " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return list;
}

std::string rows_table(const std::vector<Row>& rows) {
  if (rows.empty()) return {};
  std::string table = "| | |\n| --- | --- |\n";
  for (const Row& row : rows) table += "| " + row.name + " | " + row.says + " |\n";
  return table + "\n";
}

std::string commands_markdown(const std::vector<fixer::Command>& commands) {
  std::string text;
  for (const fixer::Command& command : commands) {
    text += "* First: " + command.why + (command.line.empty() ? "" : ": `" + command.line + "`") + "\n";
  }
  return text.empty() ? text : text + "\n";
}

std::string fix_markdown(const Diagnosis& diagnosis) {
  const fixer::Fix& fix = diagnosis.fix;
  std::string text = commands_markdown(fix.commands);
  if (fix.status == fixer::FixStatus::ready) {
    text += "**Corrected call**\n\n" + code_block(fix.before + fix.call) + "\n";
  } else if (fix.status == fixer::FixStatus::changes_only) {
    text += "**Change in the call**\n\n";
  } else if (fix.status == fixer::FixStatus::no_fit) {
    text += "**Nothing fits.** " + fix.short_of + "\n\n";
  }
  for (const fixer::Change& change : fix.changes) text += "* " + change_words(change) + "\n";
  if (!fix.changes.empty()) text += "\n";
  text += rows_table(placement_rows(fix));
  if (!fix.verified.empty()) text += "Checked: " + fix.verified + ".\n\n";
  if (!fix.cost.empty()) text += "Cost: " + fix.cost + "\n\n";
  if (fix.status == fixer::FixStatus::none || fix.status == fixer::FixStatus::no_fit) {
    const ExplainedFailure& failure = diagnosis.failures.front();
    if (failure.entry)
      text += "**What to do**\n\n" + bullet_lines(filled_in(failure.entry->advice, failure.match.captures)) + "\n";
  }
  for (const fixer::Need& need : fix.needs)
    text += "* Not known: " + need.fact + " — " + need.why + ". To tell: " + need.how + "\n";
  return text;
}

}  // namespace

std::string report_markdown(const Diagnosis& diagnosis) {
  if (diagnosis.failures.empty()) {
    const std::string error = last_error_words(diagnosis);
    std::string text = "**Not known.**" + (error.empty() ? std::string() : " The error that was read: `" + error + "`");
    text += "\n";
    for (const kb::Similar& entry : diagnosis.similar) {
      text += "* Perhaps meant (a guess from the words): " + entry.title + " (`" + entry.id + "`)\n";
    }
    return masked(text);
  }
  const ExplainedFailure& failure = diagnosis.failures.front();
  const auto& captures = failure.match.captures;
  std::string text = "### " + (failure.entry ? failure.entry->title : failure.match.failure) + "\n\n";
  text += "> " + failure.match.message + "\n\n";
  if (failure.entry)
    text += filled_in(failure.entry->what, captures) + "\n\n" +
            (diagnosis.fix.why_here.empty() ? bullet_lines(filled_in(failure.entry->why, captures))
                                            : diagnosis.fix.why_here + ".\n") +
            "\n";
  text += releases_words(diagnosis.facts) + ".\n\n";
  std::vector<Row> rows = machine_rows(diagnosis.facts);
  if (diagnosis.fix.model) rows.push_back({"model", model_words(*diagnosis.fix.model)});
  text += rows_table(rows) + fix_markdown(diagnosis);
  if (failure.entry && !failure.entry->sources.empty()) text += "\nSources:\n";
  if (failure.entry) {
    for (const kb::Source& source : failure.entry->sources) {
      text += "* " + (source.url.empty() ? source.title : "[" + source.title + "](" + source.url + ")") + "\n";
    }
  }
  return masked(text);
}

std::string report_call(const Diagnosis& diagnosis) {
  if (diagnosis.fix.status != fixer::FixStatus::ready) return {};
  return masked(diagnosis.fix.before + diagnosis.fix.call) + "\n";
}

}  // namespace whyfail::cli
