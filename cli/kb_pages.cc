// Makes the pages; prints nothing itself.
#include "cli/kb_pages.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace whyfail::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_wording = 60;
constexpr std::size_t longest_error = 200;
constexpr std::size_t most_like = 3;

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
  std::string captures;
  for (const auto& [name, kind] : wording.captures)
    captures += (captures.empty() ? "" : ", ") + name + " (" + kind + ")";
  if (!captures.empty()) text += "      captures " + captures + "\n";
  for (const auto& [name, expression] : wording.nearby) text += "      nearby " + name + ": " + expression + "\n";
  std::string frames;
  for (const std::string& frame : wording.frames) frames += (frames.empty() ? "" : ", ") + frame;
  if (!frames.empty()) text += "      only with a frame of " + frames + "\n";
  if (wording.needs_context) text += "      only with a frame of a library or in a chain of exceptions\n";
  for (const std::string& sample : wording.samples) text += indented(sample, "      e.g. ");
  for (const std::string& near : wording.near) text += indented(near, "      not  ");
  return text;
}

Json pairs_json(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json json = Json::object();
  for (const auto& [name, value] : pairs) json[name] = value;
  return json;
}

Json wording_json(const kb::WordingSummary& wording) {
  return {{"wording", wording.wording},
          {"exceptions", wording.exceptions},
          {"versions", wording.versions},
          {"captures", pairs_json(wording.captures)},
          {"nearby", pairs_json(wording.nearby)},
          {"frames", wording.frames},
          {"needs_context", wording.needs_context},
          {"samples", wording.samples},
          {"near", wording.near},
          {"line", wording.line}};
}

std::string recipe_line(const kb::Recipe& recipe) {
  std::string line = recipe.strategy;
  for (const auto& [key, value] : recipe.settings) line += ", " + key + " = " + value;
  return line + "\n";
}

std::string counted(int count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

// One line, at most `longest` bytes and cut between characters.
std::string shortened(const std::string& text, std::size_t longest) {
  std::string line = text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  if (line.size() <= longest) return line;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80) --end;
  return line.substr(0, end) + "…";
}

// "offload-folder-required: The current device_map had …": an entry and which of its wordings.
std::string wording_name(const Knowledge& knowledge, const std::string& id, std::int64_t pattern) {
  const Knowledge::Place place = knowledge.place_of(pattern);
  for (const kb::WordingSummary& wording : place.layer.wordings(id)) {
    if (wording.pattern != place.pattern) continue;
    return id + ", '" + shortened(wording.wording, longest_wording) + "' (" + place.layer.origin(id).file + ":" +
           std::to_string(wording.line) + ")";
  }
  return id;
}

// The last error as it was read.
std::string error_line(const matchers::Reading& reading) {
  if (!reading.last_error) return "error read: none\n";
  const matchers::Raised& error = *reading.last_error;
  return "error read, line " + std::to_string(error.line) + ": " +
         shortened(error.type + (error.message.empty() ? "" : ": " + error.message), longest_error) + "\n";
}

std::string entries_like(const matchers::Reading& reading, const Knowledge& knowledge) {
  if (!reading.last_error) return {};
  std::string text;
  std::vector<kb::Similar> found = knowledge.search(reading.last_error->message);
  found.resize(std::min(found.size(), most_like));
  for (const kb::Similar& entry : found) text += "  " + entry.id + ": " + entry.title + "\n";
  return text.empty() ? text : "entries that have words of its message:\n" + text;
}

Json entry_json(const kb::Failure& failure, const std::vector<kb::WordingSummary>& wordings,
                const kb::EntryOrigin& origin) {
  Json json = {{"id", failure.id},
               {"title", failure.title},
               {"severity", severity_name(failure.severity)},
               {"what", failure.what},
               {"why", failure.why},
               {"advice", failure.advice},
               {"false_beliefs", failure.false_beliefs},
               {"aliases", origin.aliases},
               {"file", origin.file}};
  json["sources"] = Json::array();
  for (const kb::Source& source : failure.sources)
    json["sources"].push_back({{"title", source.title}, {"url", source.url}});
  json["recipes"] = Json::array();
  for (const kb::Recipe& recipe : failure.recipes) {
    json["recipes"].push_back({{"strategy", recipe.strategy}, {"settings", pairs_json(recipe.settings)}});
  }
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

std::string entry_page(const kb::Failure& failure, const std::vector<kb::WordingSummary>& wordings,
                       const kb::EntryOrigin& origin, bool json) {
  if (json) return dumped(entry_json(failure, wordings, origin));
  std::string page =
      failure.id + " (" + severity_name(failure.severity) + ", " + origin.file + ")\n" + failure.title + "\n";
  page += section("What it means", failure.what) + section("Why", failure.why) + section("What to do", failure.advice);
  std::string lines;
  for (const std::string& belief : failure.false_beliefs) lines += belief + "\n";
  page += section("What does not help", lines);
  lines.clear();
  for (const kb::Recipe& recipe : failure.recipes) lines += recipe_line(recipe);
  page += section("Repairs that are tried, in this order", lines);
  page += "\nWordings\n";
  for (const kb::WordingSummary& wording : wordings) page += wording_text(wording);
  lines.clear();
  for (const kb::Source& source : failure.sources) {
    lines += source.title + (source.url.empty() ? "" : " " + source.url) + "\n";
  }
  page += section("Sources", lines);
  lines.clear();
  for (const std::string& alias : origin.aliases) lines += alias + "\n";
  return page + section("Also found by", lines);
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
    text += folder + (finding.file.empty() ? "" : "/") + finding.file;
    text += (finding.line == 0 ? "" : ":" + std::to_string(finding.line)) + ": " + finding.reason + "\n";
  }
  return text + counted(result.failures, "entry", "entries") + ", " + counted(result.wordings, "wording", "wordings") +
         ", " + counted(static_cast<int>(result.findings.size()), "finding", "findings") + "\n";
}

std::string trial_page(const std::vector<matchers::Trial>& trials, const matchers::Reading& reading,
                       const Knowledge& knowledge) {
  std::string text = error_line(reading);
  for (const matchers::Trial& trial : trials) {
    text += "line " + std::to_string(trial.line) + ": " + wording_name(knowledge, trial.failure, trial.pattern) + ": " +
            trial.verdict + "\n";
  }
  if (trials.empty()) text += "no wording has its fixed words in this text\n";
  text += "expressions compiled to answer: " + std::to_string(reading.work.patterns_compiled) + "\n";
  if (reading.failures.empty()) {
    return text + entries_like(reading, knowledge) +
           (reading.last_error ? "answer: none; the error that ended the run is not known\n"
                               : "answer: none; no error was found in the text\n");
  }
  const matchers::Match& answer = reading.failures.front();
  text += "answer: " + wording_name(knowledge, answer.failure, answer.pattern) + ", line " +
          std::to_string(answer.line) + "\n";
  for (const auto& [name, value] : answer.captures) text += "  " + name + " = " + value + "\n";
  return text + (answer.severity == matchers::Severity::warning
                     ? "why: a warning, and the text ends without an error\n"
                     : "why: the last known error, walked back from the end\n");
}

}  // namespace whyfail::cli
