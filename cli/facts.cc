// Puts together what the options, the paste and this machine say.
#include "cli/facts.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "cli/commands.h"
#include "cli/frames_seen.h"
#include "kb/releases.h"
#include "probes/sources.h"

namespace whyfail::cli {
namespace {

probes::Machine described_machine(const std::string& description) {
  auto read = probes::machine_from(description);
  if (const auto* bad = std::get_if<probes::BadDescription>(&read)) throw Failure("--machine: " + bad->message);
  return std::get<probes::Machine>(std::move(read));
}

bool says_anything(const probes::Memory& memory) {
  return memory.total_bytes || memory.available_bytes || memory.limit_bytes || memory.usable_bytes;
}

// Groups that `machine` does not know are taken from `other`.
void fill_gaps(probes::Machine& machine, const probes::Machine& other) {
  if (!machine.os) machine.os = other.os;
  if (!machine.gpus_known && machine.gpus.empty()) {
    machine.gpus = other.gpus;
    machine.gpus_known = other.gpus_known;
    if (other.gpus_known) machine.unknown.erase("gpus");
  }
  if (!says_anything(machine.memory)) {
    machine.memory = other.memory;
    if (says_anything(other.memory)) machine.unknown.erase("memory");
  }
  if (machine.disks.empty()) machine.disks = other.disks;
  if (machine.packages.empty()) {
    machine.packages = other.packages;
    machine.packages_origin = other.packages_origin;
  }
  if (machine.python.empty()) {
    machine.python = other.python;
    machine.python_origin = other.python_origin;
  }
  if (machine.environment.empty()) machine.environment = other.environment;
}

std::string stated_version(const probes::Machine& machine, std::string_view package) {
  const auto found = machine.packages.find(std::string(package));
  return found == machine.packages.end() ? std::string() : found->second;
}

void set_value(PackageReleases& releases, const std::string& version, const char* origin) {
  const auto release = kb::Release::parse(version);
  if (!release) return;
  releases.value = version;
  releases.candidates = {*release};
  releases.origin = origin;
}

void set_candidates(PackageReleases& releases, std::vector<kb::Release> candidates, const char* origin) {
  releases.candidates = std::move(candidates);
  releases.origin = origin;
  if (releases.candidates.size() == 1) releases.value = releases.candidates.front().text();
}

std::vector<kb::Release> those_within(const std::vector<kb::Release>& releases, const kb::WordingReleases& wording) {
  std::vector<kb::Release> within;
  for (const kb::Release& release : releases) {
    if (wording.contains(release)) within.push_back(release);
  }
  return within;
}

// What tells a release, in the order in which it is believed.
struct Evidence {
  const Knowledge& knowledge;
  const LibraryFrames& frames;
  const std::optional<kb::WordingReleases>& wording;
  const probes::Machine& stated;     // by the paste
  const probes::Machine& described;  // by --machine
  const probes::Machine& measured;
};

kb::FrameVerdict by_frames(const Evidence& evidence, std::string_view package) {
  const kb::KnowledgeBase& kb = evidence.knowledge.shipped();
  std::vector<kb::FrameSeen> all = evidence.frames.cause;
  all.insert(all.end(), evidence.frames.others.begin(), evidence.frames.others.end());
  kb::FrameVerdict verdict = kb::judge_frames(kb, package, all);
  if (!verdict.releases.empty() || evidence.frames.others.empty()) return verdict;
  const kb::FrameVerdict cause = kb::judge_frames(kb, package, evidence.frames.cause);
  return cause.judged ? cause : verdict;
}

PackageReleases releases_for(const Evidence& evidence, std::string_view package, const std::string& option,
                             bool& edited_source) {
  PackageReleases releases;
  set_value(releases, option, "option");
  if (releases.origin.empty()) set_value(releases, stated_version(evidence.stated, package), "paste");
  if (releases.origin.empty()) set_value(releases, stated_version(evidence.described, package), "option");
  if (!releases.origin.empty()) return releases;
  const kb::FrameVerdict verdict = by_frames(evidence, package);
  edited_source = verdict.judged && verdict.releases.empty();
  const bool worded = evidence.wording && evidence.wording->package == package;
  if (!verdict.releases.empty()) {
    std::vector<kb::Release> narrowed;
    if (worded) narrowed = those_within(verdict.releases, *evidence.wording);
    set_candidates(releases, narrowed.empty() ? verdict.releases : narrowed, "frames");
  } else if (worded) {
    const auto within = those_within(kb::releases_of(evidence.knowledge.shipped(), package), *evidence.wording);
    if (!within.empty()) set_candidates(releases, within, "message");
  }
  // The environment that the traceback names, read on this machine.
  const std::string installed = stated_version(evidence.measured, package);
  const auto release = kb::Release::parse(installed);
  const auto& candidates = releases.candidates;
  if (release && (candidates.empty() || (candidates.size() > 1 && std::find(candidates.begin(), candidates.end(),
                                                                            *release) != candidates.end()))) {
    set_value(releases, installed, "probe");
  }
  return releases;
}

// accelerate where nothing tells it: what was current with transformers.
void assume_accelerate(const kb::KnowledgeBase& kb, Facts& facts) {
  if (!facts.accelerate.candidates.empty() || facts.transformers.candidates.empty()) return;
  facts.accelerate.assumed = kb::accelerate_of(kb, facts.transformers.candidates.back());
}

probes::Machine measured_for(const Options& options, const matchers::Reading& reading) {
  if (options.no_probe || !options.machine.empty()) return {};
  probes::ProbeRequest request;
  request.site_packages = package_folders(reading);
  return probes::measure(request);
}

}  // namespace

Facts gather_facts(const Options& options, const matchers::Reading& reading, std::optional<std::int64_t> pattern,
                   const Knowledge& knowledge) {
  Facts facts;
  const probes::Machine stated = probes::machine_in(reading);
  const probes::Machine described = options.machine.empty() ? probes::Machine{} : described_machine(options.machine);
  const probes::Machine measured = measured_for(options, reading);
  if (!options.machine.empty()) {
    facts.machine = described;
    fill_gaps(facts.machine, stated);
  } else {
    facts.machine_is_elsewhere = !options.no_probe && probes::contradicts(stated, measured);
    facts.machine = options.no_probe || facts.machine_is_elsewhere ? stated : measured;
    if (!options.no_probe && !facts.machine_is_elsewhere) fill_gaps(facts.machine, stated);
  }
  std::optional<kb::WordingReleases> wording;
  if (pattern) {
    const Knowledge::Place place = knowledge.place_of(*pattern);
    wording = kb::releases_of_wording(place.layer, place.pattern);
  }
  const LibraryFrames frames = library_frames(knowledge.shipped(), reading);
  const probes::Machine nothing;
  const Evidence evidence{knowledge, frames,    wording,
                          stated,    described, facts.machine_is_elsewhere ? nothing : measured};
  bool ignored = false;
  facts.transformers = releases_for(evidence, "transformers", options.transformers, facts.edited_source);
  facts.accelerate = releases_for(evidence, "accelerate", options.accelerate, ignored);
  assume_accelerate(knowledge.shipped(), facts);
  return facts;
}

probes::Machine machine_for(const Options& options) {
  if (!options.machine.empty()) return described_machine(options.machine);
  return options.no_probe ? probes::Machine{} : probes::measure({});
}

}  // namespace whyfail::cli
