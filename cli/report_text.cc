// The report for a terminal: cause, why here with figures, the call as a block of its own, its cost, what is missing,
// sources; in under a screen.
#include <algorithm>
#include <string_view>

#include "cli/mask.h"
#include "cli/report.h"
#include "cli/words.h"

namespace whyfail::cli {
namespace {

constexpr std::size_t width = 96;
constexpr std::size_t name_column = 9;
constexpr std::size_t most_sources = 2;
constexpr std::size_t most_changes = 6;
constexpr std::size_t most_causes = 4;  // the rest: whyfail kb show ID

enum class Style { plain, heading, cause, call, faint };

// Collects masked lines; colour is put around them afterwards, for masking takes control characters out.
class Page {
 public:
  explicit Page(bool color) : color_(color) {}

  void line(const std::string& text, Style style = Style::plain) { text_ += styled(masked(text), style) + "\n"; }
  void blank() { text_ += "\n"; }
  void heading(const char* text) {
    blank();
    line(text, Style::heading);
  }

  // Wrapped at blanks; every line begins with `indent` blanks.
  void paragraph(const std::string& text, std::size_t indent = 0, Style style = Style::plain) {
    const std::string safe = masked(text);
    for (std::string_view rest = safe; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      wrap(rest.substr(0, end), indent, style);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  void row(const Row& row) {
    const std::string safe = masked(row.says);
    std::string name = masked(row.name);
    name.resize(std::max(name.size() + 1, name_column), ' ');
    const std::size_t at = text_.size();
    wrap(safe, name.size() + 2, Style::plain);
    text_.replace(at, name.size() + 2, "  " + name);
  }

  std::string take() { return std::move(text_); }

 private:
  std::string styled(const std::string& text, Style style) const {
    if (!color_ || style == Style::plain || text.empty()) return text;
    const char* begin = style == Style::heading ? "\033[1m"
                        : style == Style::cause ? "\033[1;31m"
                        : style == Style::call  ? "\033[32m"
                                                : "\033[2m";
    return begin + text + "\033[0m";
  }

  // Characters, not bytes: continuation bytes take no column.
  static std::size_t columns(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  }

  void wrap(std::string_view text, std::size_t indent, Style style) {
    std::string current;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      const std::string_view word = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (!current.empty() && indent + columns(current) + 1 + columns(word) > width) {
        text_ += std::string(indent, ' ') + styled(current, style) + "\n";
        current.clear();
      }
      if (!current.empty()) current += ' ';
      current += word;
    }
    text_ += std::string(indent, ' ') + styled(current, style) + "\n";
  }

  std::string text_;
  bool color_;
};

std::string cut(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + " …";
}

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

void write_changes(Page& page, const fixer::Fix& fix) {
  for (std::size_t i = 0; i < std::min(fix.changes.size(), most_changes); ++i) {
    page.paragraph("- " + change_words(fix.changes[i]), 2);
  }
  for (const Row& row : placement_rows(fix)) page.row(row);
  if (!fix.verified.empty()) page.paragraph("Checked: " + fix.verified + ".", 2);
  if (fix.safety == fixer::Safety::changes_results) page.paragraph("This changes the model's results.", 2);
  if (fix.safety == fixer::Safety::needs_review) page.paragraph("Look at it before you use it.", 2);
  if (!fix.cost.empty()) page.paragraph("Cost: " + fix.cost, 2);
}

void write_advice(Page& page, const Diagnosis& diagnosis) {
  const ExplainedFailure& failure = diagnosis.failures.front();
  if (!failure.entry || failure.entry->advice.empty()) return;
  page.heading("What to do");
  page.paragraph(filled_in(failure.entry->advice, failure.match.captures), 2);
}

void write_fix(Page& page, const Diagnosis& diagnosis) {
  const fixer::Fix& fix = diagnosis.fix;
  switch (fix.status) {
    case fixer::FixStatus::ready:
      write_call(page, fix, diagnosis.failures.front().match.failure.empty() ? "Call" : "Corrected call");
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
  if (!fix.needs.empty()) page.heading("Not known");
  for (const fixer::Need& need : fix.needs)
    page.paragraph("- " + need.fact + ": " + need.why + ". To tell: " + need.how, 2);
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

std::string report_plan(const Diagnosis& diagnosis, Format format, bool color) {
  if (format == Format::json) return report_json(diagnosis);
  if (format == Format::markdown) return report_markdown(diagnosis);
  Page page(color);
  page.line(diagnosis.failures.front().entry->title, Style::heading);
  page.paragraph(releases_words(diagnosis.facts), 0, Style::faint);
  write_machine(page, diagnosis);
  write_fix(page, diagnosis);
  return page.take();
}

}  // namespace whyfail::cli
