// Findings as SARIF 2.1.0 (OASIS, https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/check_findings.h"
#include "cli/mask.h"
#include "cli/version.h"

namespace whyfail::cli {
namespace {

using Json = nlohmann::ordered_json;

// A file name as a URI reference: relative names stay relative, absolute ones become file:///…
std::string uri_of(const std::string& file) {
  static constexpr std::string_view plain = "-._~/!$&'()*+,;=@";
  static constexpr char hex[] = "0123456789ABCDEF";
  const std::string name = masked(file);
  std::string uri = name.starts_with('/') ? "file://" : "";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || plain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += {'%', hex[byte >> 4U], hex[byte & 15U]};
    }
  }
  return uri;
}

Json region(const Position& begin, const Position& end) {
  return {{"startLine", begin.line}, {"startColumn", begin.column}, {"endLine", end.line}, {"endColumn", end.column}};
}

Json rule(const kb::Failure& failure) {
  Json json = {{"id", failure.id}, {"shortDescription", {{"text", failure.title}}}};
  if (!failure.what.empty()) json["fullDescription"] = {{"text", masked(failure.what)}};
  if (!failure.advice.empty()) json["help"] = {{"text", masked(failure.advice)}};
  for (const kb::Source& source : failure.sources) {
    if (!source.url.empty() && !json.contains("helpUri")) json["helpUri"] = source.url;
  }
  json["defaultConfiguration"] = {{"level", "error"}};
  return json;
}

// The edits of the best plan on the file's text; none where there is no plan, or it holds a secret.
Json fixes(const Finding& finding, const std::vector<CheckedFile>& files) {
  Json list = Json::array();
  const auto file =
      std::find_if(files.begin(), files.end(), [&](const CheckedFile& each) { return each.name == finding.file; });
  if (finding.fix.status != fixer::FixStatus::ready || finding.fix.edits.empty() || file == files.end()) return list;
  Json replacements = Json::array();
  for (const fixer::Edit& edit : finding.fix.edits) {
    if (masked(edit.text) != edit.text) return list;
    replacements.push_back(
        {{"deletedRegion", region(position_of(file->text, edit.range.begin), position_of(file->text, edit.range.end))},
         {"insertedContent", {{"text", edit.text}}}});
  }
  std::string what = "Change the call: ";
  for (const fixer::Change& change : finding.fix.changes) {
    what += (what.ends_with(": ") ? "" : ", ") + change.argument;
  }
  list.push_back({{"description", {{"text", masked(what)}}},
                  {"artifactChanges", Json::array({{{"artifactLocation", {{"uri", uri_of(finding.file)}}},
                                                    {"replacements", replacements}}})}});
  return list;
}

Json result(const Finding& finding, std::size_t rule_index, const std::vector<CheckedFile>& files) {
  std::string message =
      finding.failure.title + ". With " + finding.releases + ": " + finding.exception + ": " + finding.message;
  if (!finding.detail.empty()) message += " (" + finding.detail + ")";
  if (finding.fix.status == fixer::FixStatus::ready && !finding.fix.call.empty()) {
    message += "\nThis call works: " + finding.fix.before + finding.fix.call;
  }
  Json location = {
      {"physicalLocation",
       {{"artifactLocation", {{"uri", uri_of(finding.file)}}}, {"region", region(finding.begin, finding.end)}}}};
  Json json = {{"ruleId", finding.failure.id},
               {"ruleIndex", rule_index},
               {"level", "error"},
               {"message", {{"text", masked(message)}}},
               {"locations", Json::array({location})}};
  const Json list = fixes(finding, files);
  if (!list.empty()) json["fixes"] = list;
  return json;
}

}  // namespace

std::string findings_sarif(const std::vector<Finding>& findings, const std::vector<CheckedFile>& files) {
  std::vector<std::string> ids;
  Json rules = Json::array();
  Json results = Json::array();
  for (const Finding& finding : findings) {
    auto at = std::find(ids.begin(), ids.end(), finding.failure.id);
    if (at == ids.end()) {
      rules.push_back(rule(finding.failure));
      at = ids.insert(ids.end(), finding.failure.id);
    }
    results.push_back(result(finding, static_cast<std::size_t>(at - ids.begin()), files));
  }
  const Json driver = {{"name", "whyfail"}, {"version", version}, {"rules", rules}};
  const Json run = {{"tool", {{"driver", driver}}}, {"columnKind", "unicodeCodePoints"}, {"results", results}};
  const Json log = {
      {"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", Json::array({run})}};
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace whyfail::cli
