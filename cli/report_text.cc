// The report for a terminal: cause, why here with figures, the call as a block of its own, its cost, what is missing,
// sources; in under a screen.
#include <algorithm>
#include <string_view>

#include "cli/page.h"
#include "cli/report.h"
#include "cli/report_parts.h"
#include "cli/words.h"

namespace whyfail::cli {
namespace {

constexpr std::size_t most_sources = 2;
constexpr std::size_t most_changes = 6;
constexpr std::size_t most_causes = 4;  // the rest: whyfail kb show ID

std::string first_lines(const std::string& text, std::size_t most) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < most && end < text.size(); ++i) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

// Where the figures of this machine tell why, they stand in place of the general causes.
void write_failure(Page& page, const ExplainedFailure& failure, const Facts& facts, const std::string& why_here) {
  const auto& captures = failure.match.captures;
  page.paragraph(failure.entry ? failure.entry->title : failure.match.failure, 0, Style::cause);
  page.paragraph(cut(failure.match.message, 280) + " (line " + std::to_string(failure.match.line) + ")", 2,
                 Style::faint);
  if (!failure.entry) return;
  page.blank();
  page.paragraph(filled_in(failure.entry->what, captures));
  if (why_here.empty()) {
    page.paragraph(first_lines(filled_in(failure.entry->why, captures), most_causes), 2);
  } else {
    page.paragraph(why_here + ".");
  }
  page.paragraph(releases_words(facts), 0, Style::faint);
}

void write_changes(Page& page, const fixer::Fix& fix) {
  for (std::size_t i = 0; i < std::min(fix.changes.size(), most_changes); ++i) {
    page.paragraph("- " + change_words(fix.changes[i]), 2);
  }
  for (const Row& row : placement_rows(fix)) page.row(row);
  write_terms(page, fix);
}

void write_advice(Page& page, const Diagnosis& diagnosis) {
  const ExplainedFailure& failure = diagnosis.failures.front();
  if (!failure.entry || failure.entry->advice.empty()) return;
  page.heading("What to do");
  page.paragraph(filled_in(failure.entry->advice, failure.match.captures), 2);
}

void write_fix(Page& page, const Diagnosis& diagnosis) {
  const fixer::Fix& fix = diagnosis.fix;
  write_commands(page, fix);
  switch (fix.status) {
    case fixer::FixStatus::ready:
      write_call(page, fix, "Corrected call");
      write_changes(page, fix);
      break;
    case fixer::FixStatus::changes_only:
      page.heading("Change in the call");
      write_changes(page, fix);
      break;
    case fixer::FixStatus::no_fit:
      page.heading("Nothing fits");
      page.paragraph(fix.short_of, 2);
      for (const Row& row : placement_rows(fix)) page.row(row);
      write_advice(page, diagnosis);
      break;
    case fixer::FixStatus::none:
      write_advice(page, diagnosis);
      break;
  }
  if (!fix.alternatives.empty()) page.heading("Or");
  for (const fixer::Fix& other : fix.alternatives) {
    std::string says;
    for (const fixer::Change& change : other.changes)
      says += (says.empty() ? "" : "; ") + cut(change_words(change), 120);
    page.paragraph("- " + says + (other.cost.empty() ? "" : " (" + other.cost + ")"), 2);
  }
  write_needs(page, fix);
}

void write_sources(Page& page, const ExplainedFailure& failure) {
  if (!failure.entry || failure.entry->sources.empty()) return;
  std::string says = "Sources: ";
  for (std::size_t i = 0; i < std::min(failure.entry->sources.size(), most_sources); ++i) {
    says += (i == 0 ? "" : "; ") + failure.entry->sources[i].title;
  }
  if (!failure.versions.empty()) says += ". Said by " + failure.versions + ".";
  page.blank();
  page.paragraph(says, 0, Style::faint);
}

void write_unknown(Page& page, const Diagnosis& diagnosis) {
  page.line("Not known: no message in this text is one that whyfail knows.", Style::cause);
  for (const kb::Similar& entry : diagnosis.similar) {
    page.paragraph("Perhaps meant (a guess from the words): " + entry.title + " - 'whyfail kb show " + entry.id + "'",
                   2);
  }
  const std::string error = last_error_words(diagnosis);
  if (!error.empty()) page.paragraph("The error that was read: " + error, 2);
  for (const matchers::Match& note : diagnosis.reading.notes) {
    page.paragraph("A warning beside it, not its cause: " + cut(note.message, 160), 2);
  }
  page.paragraph("An entry for it can be added: CONTRIBUTING.md, 'whyfail kb try FILE'.", 2);
}

}  // namespace

std::string report_text(const Diagnosis& diagnosis, bool color) {
  Page page(color);
  if (diagnosis.failures.empty()) {
    write_unknown(page, diagnosis);
    return page.take();
  }
  write_failure(page, diagnosis.failures.front(), diagnosis.facts, diagnosis.fix.why_here);
  for (std::size_t i = 1; i < diagnosis.failures.size(); ++i) {
    const ExplainedFailure& also = diagnosis.failures[i];
    page.paragraph("Also: " + (also.entry ? also.entry->title : also.match.failure) + " (line " +
                   std::to_string(also.match.line) + ")");
  }
  write_machine(page, diagnosis);
  write_fix(page, diagnosis);
  write_sources(page, diagnosis.failures.front());
  return page.take();
}

}  // namespace whyfail::cli
