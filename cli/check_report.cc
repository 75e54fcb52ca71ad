// Findings as text and as JSON.
#include <nlohmann/json.hpp>

#include "cli/check_findings.h"
#include "cli/mask.h"
#include "cli/words.h"

namespace whyfail::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string indented(const std::string& text) {
  std::string lines = "      ";
  for (const char c : text) {
    lines += c;
    if (c == '\n') lines += "      ";
  }
  return lines;
}

Json fix_json(const fixer::Fix& fix) {
  const bool ready = fix.status == fixer::FixStatus::ready;
  Json changes = Json::array();
  for (const fixer::Change& change : fix.changes) {
    changes.push_back({{"argument", change.argument},
                       {"old", masked(change.old_value)},
                       {"new", masked(change.new_value)},
                       {"reason", masked(change.reason)}});
  }
  return {{"status", ready                                          ? "ready"
                     : fix.status == fixer::FixStatus::changes_only ? "changes-only"
                     : fix.status == fixer::FixStatus::no_fit       ? "no-fit"
                                                                    : "none"},
          {"call", masked(fix.call)},
          {"before", masked(fix.before)},
          {"changes", changes},
          {"verified", fix.verified.empty() ? Json(nullptr) : Json(fix.verified)},
          {"cost", masked(fix.cost)},
          {"short_of", masked(fix.short_of)}};
}

}  // namespace

std::string findings_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += finding.file + ":" + std::to_string(finding.begin.line) + ":" + std::to_string(finding.begin.column) +
            ": error: " + finding.failure.title + " [" + finding.failure.id + "]\n";
    text += "    with " + finding.releases + ": " + finding.exception + ": " + one_line(finding.message) + "\n";
    if (!finding.detail.empty()) text += "    " + finding.detail + "\n";
    if (finding.fix.status == fixer::FixStatus::ready) {
      // The change may stand in a dict or a name that the call takes, or be a move that is dropped.
      const bool elsewhere = finding.fix.call == finding.written;
      text += elsewhere ? "    this change works:\n"
                        : "    this call works:\n" + indented(finding.fix.before + finding.fix.call) + "\n";
      for (const fixer::Change& change : finding.fix.changes) {
        if (elsewhere) text += indented(change_words(change)) + "\n";
        if (!elsewhere && !change.reason.empty()) {
          text += "    " + change.argument + ": " + one_line(change.reason) + "\n";
        }
      }
    } else if (!finding.fix.short_of.empty()) {
      text += "    nothing fits: " + finding.fix.short_of + "\n";
    }
  }
  return masked(text);
}

std::string findings_json(const std::vector<Finding>& findings, std::size_t files) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"id", finding.failure.id},
                    {"title", finding.failure.title},
                    {"file", masked(finding.file)},
                    {"line", finding.begin.line},
                    {"column", finding.begin.column},
                    {"end_line", finding.end.line},
                    {"end_column", finding.end.column},
                    {"exception", finding.exception},
                    {"message", masked(one_line(finding.message))},
                    {"detail", masked(finding.detail)},
                    {"releases", finding.releases},
                    {"fix", fix_json(finding.fix)}});
  }
  const Json report = {{"schema", "whyfail.check/1"}, {"files", files}, {"findings", list}};
  return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace whyfail::cli
