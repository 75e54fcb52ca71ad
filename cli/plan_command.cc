// whyfail plan MODEL: no traceback; what fits MODEL on this machine, best call first. The search that corrects calls
// starts from the one that a person would write first.
#include "cli/commands.h"
#include "cli/diagnose.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/report.h"
#include "kb/releases.h"

namespace whyfail::cli {
namespace {

// Text as a Python literal.
std::string quoted(const std::string& text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + "\"";
}

// What is known of the machine and the releases: from the options, a traceback given with --trace, and this machine;
// the newest known transformers where nothing tells.
Facts facts_for(const Options& options, const Knowledge& knowledge) {
  matchers::Reading reading;
  if (!options.trace.empty()) reading = matchers::read_paste(*open_paste(options.trace), knowledge);
  std::optional<std::int64_t> pattern;
  if (!reading.failures.empty()) pattern = reading.failures.front().pattern;
  Facts facts = gather_facts(options, reading, pattern, knowledge);
  if (!facts.transformers.candidates.empty()) return facts;
  const std::vector<kb::Release> known = kb::releases_of(knowledge.shipped(), "transformers");
  if (known.empty()) throw Failure("the knowledge base lists no release of transformers");
  facts.transformers = {known.back().text(), {known.back()}, "newest", {}};
  if (facts.accelerate.candidates.empty())
    facts.accelerate.assumed = kb::accelerate_of(knowledge.shipped(), known.back());
  return facts;
}

fixer::FoundCall first_call(const std::string& model, const kb::KnowledgeBase& kb, const kb::Release& transformers) {
  const std::string dtype = kb::dtype_argument(kb, "transformers", "PreTrainedModel.from_pretrained", transformers);
  fixer::FoundCall call;
  call.text = "AutoModelForCausalLM.from_pretrained(" + quoted(model) + ", device_map=\"auto\"" +
              (dtype.empty() ? "" : ", " + dtype + "=\"auto\"") + ")";
  call.complete = true;
  return call;
}

}  // namespace

Diagnosis plan(const Options& options, const Knowledge& knowledge) {
  Diagnosis diagnosis;
  diagnosis.facts = facts_for(options, knowledge);
  const std::vector<kb::Release>& releases = diagnosis.facts.transformers.candidates;
  diagnosis.call = first_call(options.words.front(), knowledge.shipped(), releases.back());
  fixer::Situation situation;
  situation.kb = &knowledge.shipped();
  situation.planning = true;
  situation.call = &*diagnosis.call;
  situation.machine = &diagnosis.facts.machine;
  situation.transformers = releases;
  situation.accelerate = diagnosis.facts.accelerate.candidates;
  situation.model_override = options.model;
  if (!options.no_probe && !diagnosis.facts.machine_is_elsewhere) situation.working_folder = ".";
  situation.options = plan_options(options);
  diagnosis.fix = fixer::find_fix(situation);
  diagnosis.status = Status::explained;
  return diagnosis;
}

int plan_command(const Options& options) {
  const Diagnosis diagnosis = plan(options, Knowledge(options.kb_files));
  if (options.quiet && options.format == Format::text) {
    print(report_call(diagnosis));
  } else {
    print(report_plan(diagnosis, options.words.front(), options.format, colors_wanted(options.color), options.explain));
  }
  return diagnosis.fix.status == fixer::FixStatus::ready ? 0 : 1;
}

}  // namespace whyfail::cli
