// The report as JSON.
#include <nlohmann/json.hpp>
#include <variant>

#include "cli/mask.h"
#include "cli/report.h"
#include "probes/sources.h"

namespace whyfail::cli {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

const char* status_name(Status status) {
  switch (status) {
    case Status::explained:
      return "explained";
    case Status::similar:
      return "similar";
    case Status::unknown:
      break;
  }
  return "unknown";
}

const char* status_name(fixer::FixStatus status) {
  switch (status) {
    case fixer::FixStatus::ready:
      return "ready";
    case fixer::FixStatus::changes_only:
      return "changes-only";
    case fixer::FixStatus::no_fit:
      return "no-fit";
    case fixer::FixStatus::none:
      break;
  }
  return "none";
}

const char* safety_name(fixer::Safety safety) {
  switch (safety) {
    case fixer::Safety::same_results:
      return "same-results";
    case fixer::Safety::changes_results:
      return "changes-results";
    case fixer::Safety::needs_review:
      break;
  }
  return "needs-review";
}

Json device_json(const fixer::Device& device) {
  return std::visit([](const auto& key) { return Json(key); }, device);
}

Json failure_json(const ExplainedFailure& failure) {
  Json sources = Json::array();
  Json explanation;
  std::string title;
  if (failure.entry) {
    title = failure.entry->title;
    for (const kb::Source& source : failure.entry->sources) {
      sources.push_back({{"title", source.title}, {"url", text_or_null(source.url)}});
    }
    explanation = {{"what", failure.entry->what}, {"why", failure.entry->why}, {"advice", failure.entry->advice}};
    explanation["false_beliefs"] = failure.entry->false_beliefs;
  }
  explanation["sources"] = sources;
  Json captures = Json::object();
  for (const auto& [name, value] : failure.match.captures) captures[name] = value;
  const bool is_error = failure.match.severity == matchers::Severity::error;
  return {{"id", failure.match.failure},
          {"severity", is_error ? "error" : "warning"},
          {"title", title},
          {"exception", text_or_null(failure.match.exception)},
          {"message", failure.match.message},
          {"captures", captures},
          {"line", failure.match.line},
          {"versions", text_or_null(failure.versions)},
          {"explanation", explanation}};
}

Json releases_json(const PackageReleases& releases) {
  Json candidates = Json::array();
  for (const kb::Release& release : releases.candidates) candidates.push_back(release.text());
  if (!releases.value.empty()) candidates = Json::array({releases.value});
  Json json = {
      {"value", text_or_null(releases.value)}, {"candidates", candidates}, {"origin", text_or_null(releases.origin)}};
  if (releases.assumed) json["assumed"] = releases.assumed->text();
  return json;
}

Json environment_json(const Facts& facts) {
  Json json = {{"transformers", releases_json(facts.transformers)}, {"accelerate", releases_json(facts.accelerate)}};
  if (facts.edited_source) json["edited_source"] = true;
  return json;
}

Json machine_json(const Facts& facts) {
  Json json = Json::parse(probes::machine_json(facts.machine), nullptr, false);
  if (!json.is_object()) json = Json::object();
  if (facts.machine_is_elsewhere) json["elsewhere"] = true;
  return json;
}

Json model_json(const std::optional<fixer::Model>& model) {
  if (!model) return nullptr;
  return {{"id", model->id},
          {"architecture", text_or_null(model->architecture)},
          {"parameters", model->parameters},
          {"bytes", model->bytes},
          {"dtype", fixer::dtype_name(model->dtype)},
          {"origin", model->origin},
          {"exact", model->exact},
          {"quantization", text_or_null(model->quantization)},
          {"note", text_or_null(model->note)}};
}

Json call_json(const std::optional<fixer::FoundCall>& call) {
  if (!call) return nullptr;
  Json json = {{"text", call->text},
               {"file", text_or_null(call->file)},
               {"line", call->line > 0 ? Json(call->line) : Json(nullptr)},
               {"complete", call->complete}};
  if (masked(call->text) != call->text) json["masked"] = true;
  return json;
}

// What is held at most while the call loads; null: no more than the weights that stay.
Json load_peak_json(const fixer::DeviceBudget& device) {
  if (device.load_peak_bytes == 0) return nullptr;
  return {{"bytes", device.load_peak_bytes},
          {"why", device.load_peak_why},
          {"certain", device.load_peak_certain},
          {"measured", device.load_peak_measured}};
}

Json placement_json(const fixer::Fix& fix) {
  if (fix.devices.empty() && fix.device_map.empty()) return nullptr;
  Json devices = Json::array();
  for (const fixer::DeviceBudget& device : fix.devices) {
    Json terms = Json::array();
    for (const auto& [name, bytes] : device.terms) terms.push_back({{"name", name}, {"bytes", bytes}});
    devices.push_back({{"device", device_json(device.device)},
                       {"free_bytes", device.free_bytes},
                       {"cache_bytes", device.cache_bytes},
                       {"read_in_place", device.read_in_place},
                       {"budget_bytes", device.budget_bytes ? Json(*device.budget_bytes) : Json(nullptr)},
                       {"weights_bytes", device.weights_bytes},
                       {"load_peak", load_peak_json(device)},
                       {"reserve_bytes", device.reserve_bytes},
                       {"terms", terms}});
  }
  Json map = Json::object();
  for (const auto& [module, device] : fix.device_map) map[module] = device_json(device);
  Json passed_over = Json::array();
  for (const fixer::PassedOver& passed : fix.passed_over) {
    passed_over.push_back({{"module", passed.module},
                           {"device", device_json(passed.device)},
                           {"needs_bytes", passed.needs_bytes},
                           {"left_bytes", passed.left_bytes},
                           {"kept_bytes", passed.kept_bytes}});
  }
  return {{"devices", devices}, {"device_map", map}, {"passed_over", passed_over}};
}

Json fix_json(const fixer::Fix& fix, bool is_alternative) {
  Json changes = Json::array();
  for (const fixer::Change& change : fix.changes) {
    changes.push_back({{"argument", change.argument},
                       {"old", text_or_null(change.old_value)},
                       {"new", text_or_null(change.new_value)},
                       {"reason", change.reason},
                       {"safety", safety_name(change.safety)}});
  }
  Json needs = Json::array();
  for (const fixer::Need& need : fix.needs)
    needs.push_back({{"fact", need.fact}, {"why", need.why}, {"how", need.how}});
  Json commands = Json::array();
  for (const fixer::Command& command : fix.commands)
    commands.push_back({{"line", text_or_null(command.line)}, {"why", command.why}});
  Json json = {{"status", status_name(fix.status)},
               {"call", text_or_null(fix.call)},
               {"before", fix.before},
               {"changes", changes},
               {"safety", safety_name(fix.safety)},
               {"placement", placement_json(fix)},
               {"why_here", text_or_null(fix.why_here)},
               {"verified", text_or_null(fix.verified)},
               {"cost", fix.cost},
               {"notes", fix.notes},
               {"short_of", text_or_null(fix.short_of)},
               {"needs", needs},
               {"commands", commands}};
  if (masked(fix.call) != fix.call) json["masked"] = true;
  if (is_alternative) return json;
  json["alternatives"] = Json::array();
  for (const fixer::Fix& other : fix.alternatives) json["alternatives"].push_back(fix_json(other, true));
  return json;
}

void mask_texts(Json& json) {
  if (json.is_string()) {
    json = masked(json.get_ref<const std::string&>());
  } else if (json.is_structured()) {
    for (auto& value : json) mask_texts(value);
  }
}

}  // namespace

std::string report_json(const Diagnosis& diagnosis) {
  Json failures = Json::array();
  for (const ExplainedFailure& failure : diagnosis.failures) failures.push_back(failure_json(failure));
  Json notes = Json::array();
  for (const matchers::Match& note : diagnosis.reading.notes)
    notes.push_back({{"id", note.failure}, {"line", note.line}});
  Json similar = Json::array();
  for (const kb::Similar& entry : diagnosis.similar) {
    similar.push_back({{"id", entry.id}, {"title", entry.title}, {"score", entry.score}});
  }
  Json report = {{"schema", "whyfail.report/1"},
                 {"status", status_name(diagnosis.status)},
                 {"failures", failures},
                 {"notes", notes},
                 {"similar", similar},
                 {"environment", environment_json(diagnosis.facts)},
                 {"machine", machine_json(diagnosis.facts)},
                 {"model", model_json(diagnosis.fix.model)},
                 {"call", call_json(diagnosis.call)},
                 {"failing", diagnosis.call ? text_or_null(diagnosis.call->failing) : Json(nullptr)},
                 {"fix", fix_json(diagnosis.fix, false)}};
  if (diagnosis.failures.empty() && diagnosis.reading.last_error) {
    const matchers::Raised& error = *diagnosis.reading.last_error;
    report["last_error"] = {{"exception", error.type}, {"message", error.message}, {"line", error.line}};
  }
  mask_texts(report);
  return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace whyfail::cli
