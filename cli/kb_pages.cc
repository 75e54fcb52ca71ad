// Makes the pages; prints nothing itself.
#include "cli/kb_pages.h"

#include <nlohmann/json.hpp>
#include <string_view>

namespace whyfail::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

const char* severity_name(matchers::Severity severity) {
  return severity == matchers::Severity::warning ? "warning" : "error";
}

// Every line of `text` with `indent` before it.
std::string indented(std::string_view text, const std::string& indent) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) lines.append(indent).append(line).push_back('\n');
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string section(const char* heading, std::string_view text) {
  if (text.empty()) return {};
  return std::string("\n") + heading + "\n" + indented(text, "  ");
}

std::string wording_text(const kb::WordingSummary& wording) {
  std::string text = indented(wording.wording, "  ");
  std::string about;
  for (const std::string& exception : wording.exceptions) about += (about.empty() ? "" : ", ") + exception;
  if (!wording.versions.empty()) about += (about.empty() ? "" : "; ") + wording.versions;
  if (!about.empty()) text += "      " + about + "\n";
  for (const std::string& sample : wording.samples) text += indented(sample, "      e.g. ");
  for (const std::string& near : wording.near) text += indented(near, "      not  ");
  return text;
}

Json wording_json(const kb::WordingSummary& wording) {
  return {{"wording", wording.wording},   {"exceptions", wording.exceptions},
          {"versions", wording.versions}, {"samples", wording.samples},
          {"near", wording.near},         {"line", wording.line}};
}

Json entry_json(const kb::Failure& failure, const std::vector<kb::WordingSummary>& wordings) {
  Json json = {{"id", failure.id},
               {"title", failure.title},
               {"severity", severity_name(failure.severity)},
               {"what", failure.what},
               {"why", failure.why},
               {"advice", failure.advice},
               {"false_beliefs", failure.false_beliefs}};
  json["sources"] = Json::array();
  for (const kb::Source& source : failure.sources)
    json["sources"].push_back({{"title", source.title}, {"url", source.url}});
  json["recipes"] = Json::array();
  for (const kb::Recipe& recipe : failure.recipes) json["recipes"].push_back(recipe.strategy);
  json["wordings"] = Json::array();
  for (const kb::WordingSummary& wording : wordings) json["wordings"].push_back(wording_json(wording));
  return json;
}

}  // namespace

std::string list_page(const std::vector<kb::FailureSummary>& failures, bool json) {
  std::size_t widest = 0;
  for (const kb::FailureSummary& failure : failures) widest = std::max(widest, failure.id.size());
  Json list = Json::array();
  std::string text;
  for (const kb::FailureSummary& failure : failures) {
    list.push_back({{"id", failure.id}, {"title", failure.title}, {"wordings", failure.wordings}});
    text += failure.id + std::string(widest + 2 - failure.id.size(), ' ') + failure.title + "\n";
  }
  return json ? dumped(list) : text;
}

std::string entry_page(const kb::Failure& failure, const std::vector<kb::WordingSummary>& wordings, bool json) {
  if (json) return dumped(entry_json(failure, wordings));
  std::string page = failure.id + " (" + severity_name(failure.severity) + ")\n" + failure.title + "\n";
  page += section("What it means", failure.what) + section("Why", failure.why) + section("What to do", failure.advice);
  std::string lines;
  for (const std::string& belief : failure.false_beliefs) lines += belief + "\n";
  page += section("What does not help", lines);
  lines.clear();
  for (const kb::Recipe& recipe : failure.recipes) lines += recipe.strategy + "\n";
  page += section("Repairs that are tried, in this order", lines);
  page += "\nWordings\n";
  for (const kb::WordingSummary& wording : wordings) page += wording_text(wording);
  lines.clear();
  for (const kb::Source& source : failure.sources) {
    lines += source.title + (source.url.empty() ? "" : " " + source.url) + "\n";
  }
  return page + section("Sources", lines);
}

std::string search_page(const std::vector<kb::Similar>& found, bool json) {
  Json list = Json::array();
  std::string text;
  for (const kb::Similar& entry : found) {
    list.push_back({{"id", entry.id}, {"title", entry.title}});
    text += entry.id + ": " + entry.title + "\n";
  }
  return json ? dumped(list) : text;
}

std::string findings_page(const std::string& folder, const kb::BuildResult& result) {
  std::string text;
  for (const kb::Finding& finding : result.findings) {
    text += folder + "/" + finding.file + ":" + std::to_string(finding.line) + ": " + finding.reason + "\n";
  }
  return text + std::to_string(result.failures) + " entries, " + std::to_string(result.wordings) + " wordings, " +
         std::to_string(result.findings.size()) + " findings\n";
}

std::string trial_page(const std::vector<matchers::Trial>& trials, const matchers::Reading& reading) {
  std::string text;
  for (const matchers::Trial& trial : trials) {
    text += "line " + std::to_string(trial.line) + ": " + trial.failure + " (wording " + std::to_string(trial.pattern) +
            "): " + trial.verdict + "\n";
  }
  if (trials.empty()) text += "no wording has its fixed words in this text\n";
  text += "expressions compiled to answer: " + std::to_string(reading.work.patterns_compiled) + "\n";
  if (reading.last_error) text += "last error read: " + reading.last_error->type + "\n";
  if (reading.failures.empty()) return text + "answer: none; the error that ended the run is not known\n";
  const matchers::Match& answer = reading.failures.front();
  text += "answer: " + answer.failure + ", line " + std::to_string(answer.line) + "\n";
  for (const auto& [name, value] : answer.captures) text += "  " + name + " = " + value + "\n";
  return text + (answer.severity == matchers::Severity::warning
                     ? "why: a warning, and the text ends without an error\n"
                     : "why: the last known error, walked back from the end\n");
}

}  // namespace whyfail::cli
