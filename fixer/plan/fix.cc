// From a situation to the answer: searches, orders what was found, and says what is missing.
#include "fixer/plan/fix.h"

#include <algorithm>

#include "fixer/call/changes.h"
#include "fixer/call/seen_through.h"
#include "fixer/plan/commands.h"
#include "fixer/plan/generation.h"
#include "fixer/plan/memory_words.h"
#include "fixer/plan/offers.h"
#include "fixer/plan/search.h"
#include "fixer/plan/words.h"
#include "kb/releases.h"

namespace whyfail::fixer {
namespace {

constexpr std::size_t most_releases = 6;

// Each transformers release with the accelerate that goes with it; a few, spread over the range, when many fit.
std::vector<ReleasePair> release_pairs(const Situation& situation) {
  std::vector<kb::Release> releases = situation.transformers;
  std::sort(releases.begin(), releases.end());
  if (releases.size() > most_releases) {
    std::vector<kb::Release> spread;
    for (std::size_t i = 0; i < most_releases; ++i)
      spread.push_back(releases[i * (releases.size() - 1) / (most_releases - 1)]);
    releases = spread;
  }
  std::vector<ReleasePair> pairs;
  for (const kb::Release& release : releases) {
    std::optional<kb::Release> accelerate;
    if (situation.accelerate.size() == 1) accelerate = situation.accelerate.front();
    if (!accelerate && situation.kb != nullptr) accelerate = kb::accelerate_of(*situation.kb, release);
    if (!accelerate && !situation.accelerate.empty()) accelerate = situation.accelerate.back();
    if (accelerate) pairs.push_back({release, *accelerate});
  }
  std::reverse(pairs.begin(), pairs.end());  // the newest names the texts
  return pairs;
}

std::vector<Edit> one_edit(const std::string& before, const std::string& after) {
  std::size_t head = 0;
  const std::size_t shorter = std::min(before.size(), after.size());
  while (head < shorter && before[head] == after[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  if (head == before.size() && head == after.size()) return {};
  return {{{head, before.size() - tail}, after.substr(head, after.size() - tail - head)}};
}

// Lines that must stand before the call go in front of its statement; empty: no line can stand there.
std::string with_lines_before(const Candidate& candidate) {
  if (candidate.before.empty()) return candidate.text;
  const Script script = Script::read(candidate.text);
  for (const Call& call : calls_seen_through(script)) {
    if (call.callee != candidate.callee ||
        script.text().substr(call.range.begin, call.range.end - call.range.begin) != candidate.call_text)
      continue;
    const std::vector<Edit> lines = insert_before_statement(script, call.range.begin, candidate.before);
    return lines.empty() ? std::string() : apply_edits(candidate.text, lines);
  }
  return {};
}

void put_devices(const Outcome& outcome, Fix& fix) {
  for (const DeviceUse& use : outcome.devices) {
    DeviceBudget budget;
    budget.device = use.capacity.device;
    for (const auto& [device, bytes] : outcome.max_memory) {
      if (device == use.capacity.device && bytes >= 0) budget.budget_bytes = static_cast<std::uint64_t>(bytes);
    }
    budget.free_bytes = use.capacity.free_bytes;
    budget.weights_bytes = use.weights_bytes;
    budget.read_in_place = use.read_in_place;
    budget.load_peak_bytes = use.load_peak_bytes;
    budget.load_peak_why = use.load_peak_why;
    budget.load_peak_certain = use.load_peak_certain;
    budget.load_peak_measured = use.load_peak_measured;
    budget.cache_bytes = use.capacity.cache_bytes;
    for (const auto& [module, device] : outcome.device_map) {
      if (device == use.capacity.device) budget.modules.push_back(module);
    }
    for (const auto& [name, bytes] : use.capacity.terms) budget.reserve_bytes += bytes;
    budget.terms = use.capacity.terms;
    fix.devices.push_back(std::move(budget));
  }
  fix.device_map = outcome.device_map;
  fix.passed_over = outcome.passed_over;
  fix.notes = uncertain_words(outcome);
}

// The definitions that a paste shows before its call, where a step edited one of them.
std::string changed_definitions(const Candidate& candidate, const FoundCall& found) {
  std::string shown;
  for (const std::string& definition : found.definitions) shown += definition + "\n";
  const std::size_t call = candidate.text.find(candidate.call_text);
  if (shown.empty() || call == std::string::npos || candidate.text.compare(0, shown.size(), shown) == 0) return {};
  return candidate.text.substr(0, candidate.text.rfind('\n', call) + 1);
}

Fix fix_from(const Candidate& candidate, const Situation& situation, const std::vector<ReleasePair>& releases) {
  Fix fix;
  const bool whole = situation.call->complete && candidate.verified_sizes;
  fix.status = FixStatus::ready;
  fix.changes = candidate.changes;
  fix.safety = candidate.safety;
  fix.cost = cost_words(candidate);
  fix.verified = verified_words(releases, whole);
  for (const std::string& name : candidate.strategies) fix.strategy += (fix.strategy.empty() ? "" : " + ") + name;
  if (candidate.outcome) put_devices(*candidate.outcome, fix);
  if (!situation.call->complete) {
    fix.status = FixStatus::changes_only;
    fix.verified.clear();
    return fix;
  }
  fix.call = candidate.call_text;
  for (const std::string& line : candidate.before) fix.before += line + "\n";
  if (!situation.call->script) fix.before += changed_definitions(candidate, *situation.call);
  if (situation.call->script) {
    const std::string& original = situation.call->script->text();
    fix.rewritten = with_lines_before(candidate);
    fix.edits = fix.rewritten.empty() ? std::vector<Edit>{} : one_edit(original, fix.rewritten);
    if (fix.rewritten.empty()) fix.status = FixStatus::changes_only;
  }
  return fix;
}

void state_needs(const Situation& situation, const SearchResult* result, Fix& fix) {
  const probes::Machine* machine = situation.machine;
  if (machine == nullptr || !machine->gpus_known) {
    fix.needs.push_back(
        {"gpus", "without the GPUs' free memory no placement can be computed",
         "paste the output of nvidia-smi, or of `whyfail probe --json` there and give it with --machine"});
  }
  if (machine == nullptr || !machine->memory.available_bytes) {
    fix.needs.push_back({"memory", "what does not fit a GPU goes to RAM",
                         "paste the output of `free -b`, or give --machine \"ram=64GiB\""});
  }
  if (result != nullptr && !result->model) {
    fix.needs.push_back({"model",
                         result->no_model ? result->no_model->why : "the call does not tell which model it loads",
                         result->no_model ? result->no_model->how : "give --model FOLDER or --model ID"});
  }
  if (situation.transformers.empty()) {
    fix.needs.push_back({"transformers", "releases place models differently",
                         "paste the whole traceback, or give --transformers VERSION"});
  }
}

// Whether the failure's entry names a strategy that edits the call; `sizes`: one that stands on sizes.
bool names_strategy(const Situation& situation, bool sizes) {
  if (!situation.failure) return false;
  const auto& recipes = situation.failure->recipes;
  return std::any_of(recipes.begin(), recipes.end(), [&](const kb::Recipe& recipe) {
    return std::any_of(strategies().begin(), strategies().end(), [&](const Strategy& strategy) {
      return strategy.name == recipe.strategy && (strategy.needs_sizes() || !sizes);
    });
  });
}

bool wants_sizes(const Situation& situation) { return names_strategy(situation, true); }

bool about_room(const kb::Failure& failure) {
  return std::any_of(failure.recipes.begin(), failure.recipes.end(), [](const kb::Recipe& recipe) {
    return recipe.strategy == "recompute-max-memory" || recipe.strategy.rfind("quantize", 0) == 0;
  });
}

// Sizes are told where they have to do with the failure: the call as written fails for want of room, or the failure
// itself is one of room.
bool tells_why(const Situation& situation, const SearchResult& result) {
  if (!situation.failure || !wants_sizes(situation)) return false;
  const bool fits = result.original && !result.original->error && result.original->fits;
  return !fits || about_room(*situation.failure);
}

// What the message's own figures say comes first.
void add_figures_of_message(const Situation& situation, Fix& fix) {
  if (situation.match == nullptr) return;
  const auto error = probes::memory_error(situation.match->message);
  if (!error) return;
  const std::string words = memory_error_words(*error);
  fix.why_here = fix.why_here.empty() ? words : words + ". " + fix.why_here;
}

void keep_changes_only(Fix& fix) {
  fix.status = FixStatus::changes_only;
  fix.verified.clear();
  fix.call.clear();
  fix.rewritten.clear();
  fix.edits.clear();
  fix.alternatives.clear();
}

Fix answer(const Situation& situation, SearchResult& result, const std::vector<ReleasePair>& releases) {
  const std::vector<const Candidate*> offered =
      offers(result.accepted, situation.options.preference, situation.planning);
  if (offered.empty()) {
    Fix fix;
    const bool fits_as_written = result.original && !result.original->error && result.original->fits;
    if (result.sizes_known && (situation.planning || wants_sizes(situation)) && !fits_as_written) {
      fix.status = FixStatus::no_fit;
      fix.short_of = short_words(result);
      if (result.nearest && result.nearest->outcome)
        put_devices(*result.nearest->outcome, fix);
      else if (result.original)
        put_devices(*result.original, fix);
    }
    if (situation.planning || wants_sizes(situation)) state_needs(situation, &result, fix);
    return fix;
  }
  Fix fix = fix_from(*offered.front(), situation, releases);
  if (!proven(*offered.front())) keep_changes_only(fix);
  for (std::size_t i = 1; i < offered.size(); ++i)
    fix.alternatives.push_back(fix_from(*offered[i], situation, releases));
  if (!result.sizes_known) state_needs(situation, &result, fix);
  return fix;
}

// A simulation is worth as much as the sizes that it was given.
void say_sizes_are_assumed(const Model& model, Fix& fix) {
  if (model.exact || model.note.empty()) return;
  const std::string assumed = ", with sizes that are not certain: " + model.note;
  if (!fix.verified.empty()) fix.verified += assumed;
  for (Fix& other : fix.alternatives) {
    if (!other.verified.empty()) other.verified += assumed;
  }
}

// A machine of which a report tells the sizes, not what is free: the best case. What does not fit there fits nowhere.
std::optional<probes::Machine> all_free(const probes::Machine* machine) {
  if (machine == nullptr || !machine->gpus_known) return std::nullopt;
  if (machine->memory.available_bytes || !machine->memory.total_bytes) return std::nullopt;
  probes::Machine freed = *machine;
  freed.memory.available_bytes = freed.memory.total_bytes;
  return freed;
}

void say_what_is_assumed(Fix& fix) {
  fix.needs.push_back({"free memory", "the report tells sizes; this is computed as if all of it were free",
                       "paste the output of nvidia-smi and of `free -b`, made right before the load"});
  if (fix.status == FixStatus::ready) keep_changes_only(fix);
}

// The call as the paste shows it, with what is done to its result, so that a move to a device takes part: chained to
// it, or the statement that failed; what its names mean stands before it.
std::string excerpt_text(const FoundCall& found) {
  std::string before;
  for (const std::string& definition : found.definitions) before += definition + "\n";
  const std::string text = found.text + found.chained;
  const std::size_t dot = found.failing.find('.');
  const bool moves = found.failing.find(".to(") == dot || found.failing.find(".cuda(") == dot;
  if (dot == std::string::npos || dot == 0 || !moves) return before + text;
  return before + found.failing.substr(0, dot) + " = " + text + "\n" + found.failing + "\n";
}

// That call in the excerpt.
std::optional<Call> call_of_excerpt(const Script& excerpt, const FoundCall& found) {
  for (const Call& call : excerpt.calls()) {
    if (excerpt.text().compare(call.range.begin, call.range.end - call.range.begin, found.text) == 0) return call;
  }
  return std::nullopt;
}

Fix edited_call(const Situation& situation) {
  Fix none;
  if (situation.call == nullptr || (!situation.failure && !situation.planning)) {
    if (names_strategy(situation, false)) state_needs(situation, nullptr, none);
    return none;
  }
  const FoundCall& found = *situation.call;
  const Script excerpt = Script::read(excerpt_text(found));
  const Script& script = found.script ? *found.script : excerpt;
  const std::optional<Call> call = found.script ? found.call : call_of_excerpt(excerpt, found);
  const std::vector<ReleasePair> releases = release_pairs(situation);
  if (!call || releases.empty()) {
    if (situation.planning || names_strategy(situation, false)) state_needs(situation, nullptr, none);
    return none;
  }
  const auto freed = all_free(situation.machine);
  Situation assumed = situation;
  if (freed) assumed.machine = &*freed;
  SearchResult result = search_fixes(assumed, script, *call, releases);
  Fix fix = answer(assumed, result, releases);
  if (const auto torch = result.model ? newer_torch(situation, *result.model, releases) : std::nullopt;
      torch && fix.status == FixStatus::ready) {
    keep_changes_only(fix);
    fix.commands.push_back(*torch);
  }
  if (tells_why(situation, result)) fix.why_here = why_here_words(result, releases);
  if (result.model) say_sizes_are_assumed(*result.model, fix);
  if (freed) say_what_is_assumed(fix);
  fix.model = std::move(result.model);
  fix.context = situation.options.context != 0 ? situation.options.context : default_context;
  return fix;
}

}  // namespace

Fix find_fix(const Situation& situation) {
  Fix fix = edited_call(situation);
  if (fix.status == FixStatus::none) {
    fix.changes = generation_changes(situation);
    if (!fix.changes.empty()) fix.status = FixStatus::changes_only;
    for (const Change& change : fix.changes) fix.safety = std::max(fix.safety, change.safety);
  }
  add_figures_of_message(situation, fix);
  for (Command& command : commands_for(situation)) fix.commands.push_back(std::move(command));
  return fix;
}

}  // namespace whyfail::fixer
