// whyfail plan MODEL: no traceback; what fits MODEL on this machine, best call first. The call that a person would
// write first is taken as one that has to be corrected, and the search that corrects calls does the rest.
#include <algorithm>
#include <utility>

#include "cli/commands.h"
#include "cli/diagnose.h"
#include "cli/mask.h"
#include "cli/output.h"
#include "cli/report.h"
#include "kb/releases.h"

namespace whyfail::cli {
namespace {

constexpr const char* no_room = "{\"cpu\": \"0GiB\"}";

// The budgets that the search started from are nobody's: they are no change, and a plan that keeps them is none.
void forget_the_start(fixer::Fix& fix) {
  for (fixer::Change& change : fix.changes) {
    if (change.argument == "max_memory") change.old_value.clear();
  }
  const auto keeps_start = [](const fixer::Fix& other) { return other.call.find(no_room) != std::string::npos; };
  fix.alternatives.erase(std::remove_if(fix.alternatives.begin(), fix.alternatives.end(), keeps_start),
                         fix.alternatives.end());
  for (fixer::Fix& other : fix.alternatives) forget_the_start(other);
}

// Text as a Python literal.
std::string quoted(const std::string& text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + "\"";
}

kb::Failure question(const std::string& model) {
  kb::Failure failure;
  failure.id = "plan";
  failure.title = "What fits " + model + " here";
  for (const char* strategy : {"recompute-max-memory", "offload-folder", "quantize-8bit", "quantize-4bit"}) {
    failure.recipes.push_back({strategy, {}});
  }
  return failure;
}

// Which releases to plan for: the options, else what is installed here, else the newest known.
kb::Release release_for(const char* package, const std::string& option, const Facts& facts,
                        const kb::KnowledgeBase& kb) {
  const auto installed = facts.machine.packages.find(package);
  for (const std::string& text :
       {option, installed == facts.machine.packages.end() ? std::string() : installed->second}) {
    if (const auto release = kb::Release::parse(text)) return *release;
  }
  const std::vector<kb::Release> known = kb::releases_of(kb, package);
  if (known.empty()) throw Failure("the knowledge base lists no release of " + std::string(package));
  return known.back();
}

fixer::FoundCall first_call(const std::string& model, const kb::KnowledgeBase& kb, const kb::Release& transformers) {
  const std::string dtype = kb::dtype_argument(kb, "transformers", "PreTrainedModel.from_pretrained", transformers);
  fixer::FoundCall call;
  call.text = "AutoModelForCausalLM.from_pretrained(" + quoted(model) + ", device_map=\"auto\"" +
              (dtype.empty() ? "" : ", " + dtype + "=\"auto\"") + ", max_memory=" + no_room + ")";
  call.complete = true;
  return call;
}

}  // namespace

int plan_command(const Options& options) {
  const std::string& model = options.words.front();
  const Knowledge knowledge(options.kb_files);
  Diagnosis diagnosis;
  diagnosis.facts.machine = machine_for(options);
  const kb::Release transformers =
      release_for("transformers", options.transformers, diagnosis.facts, knowledge.shipped());
  const bool installed = diagnosis.facts.machine.packages.count("transformers") != 0;
  diagnosis.facts.transformers = {transformers.text(),
                                  {transformers},
                                  !options.transformers.empty() ? "option"
                                  : installed                   ? "probe"
                                                                : "newest",
                                  {}};
  diagnosis.facts.accelerate.assumed = kb::accelerate_of(knowledge.shipped(), transformers);
  const auto accelerate = kb::Release::parse(options.accelerate);
  if (accelerate) diagnosis.facts.accelerate = {options.accelerate, {*accelerate}, "option", {}};
  diagnosis.call = first_call(model, knowledge.shipped(), transformers);
  fixer::Situation situation;
  situation.kb = &knowledge.shipped();
  situation.failure = question(model);
  situation.call = &*diagnosis.call;
  situation.machine = &diagnosis.facts.machine;
  situation.transformers = diagnosis.facts.transformers.candidates;
  situation.accelerate = diagnosis.facts.accelerate.candidates;
  situation.model_override = options.model;
  if (!options.no_probe) situation.working_folder = ".";
  situation.options = plan_options(options);
  diagnosis.fix = fixer::find_fix(situation);
  if (!diagnosis.fix.model) {  // without sizes nothing can be planned, only asked
    diagnosis.fix.status = fixer::FixStatus::none;
    diagnosis.fix.changes.clear();
    diagnosis.fix.alternatives.clear();
  }
  forget_the_start(diagnosis.fix);
  diagnosis.failures.push_back({{}, situation.failure, {}});
  diagnosis.status = Status::explained;
  if (options.quiet && options.format == Format::text) {
    print(report_call(diagnosis));
  } else {
    print(report_plan(diagnosis, options.format, colors_wanted(options.color)));
  }
  return diagnosis.fix.status == fixer::FixStatus::ready ? 0 : 1;
}

}  // namespace whyfail::cli
