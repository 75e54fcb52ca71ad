// The flow on one screen: text → matchers → knowledge base → facts → call → fix.
#include "cli/diagnose.h"

#include <charconv>
#include <utility>
#include <variant>

#include "cli/commands.h"
#include "kb/releases.h"
#include "probes/byte_size.h"

namespace whyfail::cli {
namespace {

std::vector<ExplainedFailure> explained(const std::vector<matchers::Match>& matches, const Knowledge& knowledge) {
  std::vector<ExplainedFailure> failures;
  for (const matchers::Match& match : matches) {
    const Knowledge::Place place = knowledge.place_of(match.pattern);
    failures.push_back({match, knowledge.failure(match.failure), place.layer.versions_of(place.pattern)});
  }
  return failures;
}

// Every release that fits is simulated; all known ones where nothing tells.
std::vector<kb::Release> releases_to_simulate(const Facts& facts, const kb::KnowledgeBase& kb) {
  return facts.transformers.candidates.empty() ? kb::releases_of(kb, "transformers") : facts.transformers.candidates;
}

fixer::Fix fix_for(const Diagnosis& diagnosis, const Knowledge& knowledge, const Options& options) {
  fixer::Situation situation;
  situation.kb = &knowledge.shipped();
  situation.failure = diagnosis.failures.front().entry;
  situation.match = &diagnosis.failures.front().match;
  situation.reading = &diagnosis.reading;
  situation.call = diagnosis.call ? &*diagnosis.call : nullptr;
  situation.machine = &diagnosis.facts.machine;
  situation.transformers = releases_to_simulate(diagnosis.facts, knowledge.shipped());
  situation.accelerate = diagnosis.facts.accelerate.candidates;
  situation.model_override = options.model;
  if (!options.no_probe && !diagnosis.facts.machine_is_elsewhere) situation.working_folder = ".";
  situation.options = plan_options(options);
  return fixer::find_fix(situation);
}

std::pair<fixer::Device, std::uint64_t> reserve_from(const std::string& text) {
  const std::size_t sign = text.find('=');
  const auto bytes =
      sign == std::string::npos ? std::nullopt : probes::byte_size(text.substr(sign + 1), probes::Gigabyte::binary);
  if (!bytes || sign == 0) throw Failure("--reserve " + text + ": not DEVICE=SIZE, for example 0=2GiB or cpu=8GiB");
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + sign, number);
  if (error == std::errc() && end == text.data() + sign) return {number, *bytes};
  return {text.substr(0, sign), *bytes};
}

// Entries that words without a traceback remind of; an error that was read to its end and is not known gets none.
std::vector<kb::Similar> similar_entries(const matchers::Reading& reading, const Knowledge& knowledge) {
  for (const matchers::Chain& chain : reading.chains) {
    for (const matchers::Raised& raised : chain.raised) {
      if (!raised.frames.empty()) return {};
    }
  }
  // A longer text is a log or a dump; what it is about can't be told from its words.
  constexpr std::size_t longest = 2000;
  if (reading.islands.size() != 1 || reading.islands.front().text().size() > longest) return {};
  return knowledge.similar(reading.islands.front().text());
}

}  // namespace

Diagnosis diagnose(matchers::ByteSource& paste, const Knowledge& knowledge, const Options& options,
                   const fixer::ReadSource& read_source) {
  Diagnosis diagnosis;
  diagnosis.reading = matchers::read_paste(paste, knowledge);
  diagnosis.failures = explained(diagnosis.reading.failures, knowledge);
  if (!diagnosis.failures.empty()) diagnosis.status = Status::explained;
  if (diagnosis.failures.empty()) diagnosis.similar = similar_entries(diagnosis.reading, knowledge);
  if (!diagnosis.similar.empty()) diagnosis.status = Status::similar;
  std::optional<std::int64_t> pattern;
  if (!diagnosis.failures.empty()) pattern = diagnosis.failures.front().match.pattern;
  Options wanted = options;
  // A text that says "not known" shows no machine.
  if (diagnosis.failures.empty() && options.format == Format::text) wanted.no_probe = true;
  diagnosis.facts = gather_facts(wanted, diagnosis.reading, pattern, knowledge);
  auto found = fixer::find_failing_call(diagnosis.reading, read_source);
  if (auto* call = std::get_if<fixer::FoundCall>(&found)) {
    diagnosis.call = std::move(*call);
  } else {
    diagnosis.no_call = std::get<fixer::NoCall>(found).why;
  }
  if (!diagnosis.failures.empty()) diagnosis.fix = fix_for(diagnosis, knowledge, options);
  return diagnosis;
}

fixer::PlanOptions plan_options(const Options& options) {
  fixer::PlanOptions plan;
  plan.context = options.context;
  plan.batch = options.batch;
  if (options.prefer == "speed") plan.preference = fixer::Preference::speed;
  if (options.prefer == "fit") plan.preference = fixer::Preference::fit;
  for (const std::string& reserve : options.reserve) plan.reserve.push_back(reserve_from(reserve));
  return plan;
}

}  // namespace whyfail::cli
