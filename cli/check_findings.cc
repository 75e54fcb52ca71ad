// Asks for every loading call what it runs into, names it through the knowledge base, and looks for the call that
// works.
#include "cli/check_findings.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/commands.h"
#include "cli/diagnose.h"
#include "fixer/plan/check.h"
#include "kb/releases.h"
#include "matchers/reading.h"

namespace whyfail::cli {
namespace {

constexpr std::size_t most_releases = 6;

std::string installed(const probes::Machine& machine, const char* package) {
  const auto found = machine.packages.find(package);
  return found == machine.packages.end() ? std::string() : found->second;
}

std::optional<kb::Release> stated(const std::string& option, const probes::Machine& machine, const char* package) {
  if (!option.empty()) {
    const auto release = kb::Release::parse(option);
    if (!release) throw Failure("--" + std::string(package) + " " + option + ": is no release, for example 4.44.2");
    return release;
  }
  return kb::Release::parse(installed(machine, package));
}

std::vector<kb::Release> spread(std::vector<kb::Release> releases) {
  if (releases.size() <= most_releases) return releases;
  std::vector<kb::Release> few;
  for (std::size_t i = 0; i < most_releases; ++i) {
    few.push_back(releases[i * (releases.size() - 1) / (most_releases - 1)]);
  }
  return few;
}

// Models that are named by a folder are looked for where the script runs, else beside it.
std::vector<std::filesystem::path> folders_of_models(const std::string& file, const Options& options) {
  if (options.no_probe) return {{}};
  const std::filesystem::path beside = std::filesystem::path(file).parent_path();
  if (beside.empty() || beside == ".") return {"."};
  return {".", beside};
}

struct Named {
  fixer::Prediction prediction;
  matchers::Reading reading;  // of the error as a paste; empty where the prediction names the failure itself
  std::string failure;
};

// The prediction of one release with the failure that its message is known as.
std::optional<Named> named_failure(const fixer::Script& script, const fixer::Call& call, const CheckContext& context,
                                   const fixer::CheckFacts& facts) {
  auto prediction = fixer::predict_failure(script, call, facts);
  if (!prediction) return std::nullopt;
  Named named{std::move(*prediction), {}, {}};
  named.failure = named.prediction.failure;
  if (!named.failure.empty()) return named;
  const fixer::LibraryError& error = named.prediction.error;
  named.reading = matchers::read_paste(error.type + ": " + error.message + "\n", context.knowledge);
  if (named.reading.failures.empty()) return std::nullopt;
  named.failure = named.reading.failures.front().failure;
  return named;
}

std::string release_words(const std::vector<fixer::ReleasePair>& releases) {
  std::string words = "transformers " + releases.front().transformers.text();
  if (releases.size() > 1) words += " to " + releases.back().transformers.text();
  return words;
}

fixer::Fix fix_of(const std::string& file, const std::string& text, const fixer::Call& call, const Named& named,
                  const Finding& finding, const CheckContext& context, const fixer::CheckFacts& facts) {
  fixer::FoundCall found;
  found.text = text.substr(call.range.begin, call.range.end - call.range.begin);
  found.file = file;
  found.line = call.line;
  found.complete = true;
  found.script = fixer::Script::read(text);
  found.call = call;
  fixer::Situation situation;
  situation.kb = facts.kb;
  situation.failure = finding.failure;
  if (!named.reading.failures.empty()) {
    situation.match = &named.reading.failures.front();
    situation.reading = &named.reading;
  }
  situation.call = &found;
  situation.machine = facts.machine;
  for (const fixer::ReleasePair& pair : context.releases) {
    situation.transformers.push_back(pair.transformers);
    situation.accelerate.push_back(pair.accelerate);
  }
  situation.model_override = facts.model_override;
  situation.working_folder = facts.working_folder;
  situation.options = facts.options;
  return fixer::find_fix(situation);
}

// What all releases agree on; `facts` keeps the folder.
std::optional<Named> agreed_failure(const fixer::Script& script, const fixer::Call& call, const CheckContext& context,
                                    fixer::CheckFacts& facts) {
  std::optional<Named> first;
  for (const fixer::ReleasePair& releases : context.releases) {
    facts.releases = releases;
    auto named = named_failure(script, call, context, facts);
    if (!named) return std::nullopt;
    const bool same =
        !first || (named->failure == first->failure && named->prediction.where == first->prediction.where);
    if (!same) return std::nullopt;
    first = std::move(named);
  }
  return first;
}

}  // namespace

Position position_of(const std::string& text, std::size_t byte) {
  Position position;
  std::size_t begin = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  for (std::size_t i = begin; i < byte && i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++position.line;
      position.column = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
      ++position.column;
    }
  }
  return position;
}

std::vector<fixer::ReleasePair> releases_to_check(const Options& options, const probes::Machine& machine,
                                                  const kb::KnowledgeBase& kb) {
  std::vector<kb::Release> releases;
  if (const auto one = stated(options.transformers, machine, "transformers")) {
    releases = {*one};
  } else {
    releases = spread(kb::releases_of(kb, "transformers"));
  }
  const auto accelerate = stated(options.accelerate, machine, "accelerate");
  std::vector<fixer::ReleasePair> pairs;
  for (const kb::Release& release : releases) {
    const auto with = accelerate ? accelerate : kb::accelerate_of(kb, release);
    if (with) pairs.push_back({release, *with});
  }
  if (pairs.empty()) throw Failure("the knowledge base lists no release of transformers");
  return pairs;
}

CheckedCalls findings_in(const std::string& file, const std::string& text, const CheckContext& context) {
  fixer::Script script = fixer::Script::read(text);
  if (context.machine.gpus_known) script.assume_gpus(static_cast<int>(context.machine.gpus.size()));
  CheckedCalls checked;
  std::vector<fixer::Call> calls = fixer::calls_to_check(script);
  checked.cut = calls.size() > most_calls;
  if (checked.cut) calls.resize(most_calls);
  for (const fixer::Call& call : calls) {
    fixer::CheckFacts facts{&context.knowledge.shipped(), &context.machine, {}, context.options.model, {},
                            plan_options(context.options)};
    std::optional<Named> named;
    for (const std::filesystem::path& folder : folders_of_models(file, context.options)) {
      facts.working_folder = folder;
      named = agreed_failure(script, call, context, facts);
      if (named) break;
    }
    if (!named) continue;
    const auto entry = context.knowledge.failure(named->failure);
    if (!entry) continue;
    Finding finding{file,
                    *entry,
                    named->prediction.error.type,
                    named->prediction.error.message,
                    named->prediction.detail,
                    position_of(text, named->prediction.where.begin),
                    position_of(text, named->prediction.where.end),
                    text.substr(call.range.begin, call.range.end - call.range.begin),
                    release_words(context.releases),
                    {}};
    if (checked.findings.size() < most_fixes) finding.fix = fix_of(file, text, call, *named, finding, context, facts);
    checked.findings.push_back(std::move(finding));
  }
  return checked;
}

}  // namespace whyfail::cli
