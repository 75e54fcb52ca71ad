// Breadth-first over strategies: one step, then two, then three; every text is read again before it is simulated.
#include "fixer/plan/search.h"

#include <algorithm>
#include <map>
#include <set>

#include "fixer/call/seen_through.h"
#include "fixer/plan/argument_error.h"
#include "fixer/plan/caller_literal.h"
#include "fixer/plan/longest_context.h"

namespace whyfail::fixer {
namespace {

constexpr int most_steps = 3;
constexpr int most_evaluations = 160;

// A call found again in an edited text: the n-th of its name.
std::size_t ordinal_of(const Script& script, const Call& call) {
  std::size_t n = 0;
  for (const Call& other : calls_seen_through(script)) {
    if (other.range == call.range) return n;
    if (other.callee == call.callee) ++n;
  }
  return 0;
}

std::optional<Call> nth_call(const Script& script, const std::string& callee, std::size_t n) {
  for (Call& call : calls_seen_through(script)) {
    if (call.callee == callee && n-- == 0) return std::move(call);
  }
  return std::nullopt;
}

std::size_t calls_before(const Script& script, const std::string& callee, std::size_t place) {
  const std::vector<Call> calls = calls_seen_through(script);
  return static_cast<std::size_t>(std::count_if(
      calls.begin(), calls.end(), [&](const Call& call) { return call.callee == callee && call.range.begin < place; }));
}

class Search {
 public:
  Search(const Situation& situation, const Script& script, const Call& call, const std::vector<ReleasePair>& releases)
      : situation_(situation), releases_(releases), call_(call), original_(script) {}

  SearchResult run();

 private:
  // Everything that one text needs; kept alive while strategies look at it.
  struct Loaded {
    std::unique_ptr<Script> script;
    std::unique_ptr<Stage> stage;
  };
  std::optional<Loaded> load(const Candidate& candidate);
  const std::variant<Model, NoModel>& model_for(const LoadCall& load, const kb::Release& release);
  const Model* model_in_use(const Stage& stage, const kb::Release& transformers, Model& cast);
  void name_model(const Script& script, const Call& call, LoadCall& load) const;
  bool evaluate(Candidate& candidate);
  bool accepted_by(const Loaded& loaded, const ReleasePair& releases, Candidate& candidate, bool first);
  std::vector<Candidate> next(const Candidate& from);
  void expand(const Candidate& from, std::vector<Candidate>& frontier);
  std::vector<std::pair<const Strategy*, kb::Recipe>> ordered_strategies() const;
  void keep_nearest(const Candidate& candidate);
  void measure_nearest();
  bool lacks_room() const;
  bool nothing_to_repair() const {
    return !situation_.planning && result_.original && !result_.original->error && result_.original->fits;
  }

  const Situation& situation_;
  const std::vector<ReleasePair>& releases_;
  const Call& call_;
  const Script& original_;
  std::map<std::string, std::variant<Model, NoModel>> models_;
  std::set<std::string> seen_;
  int evaluations_ = 0;
  bool wants_gpu_ = false;  // the call as written puts weights on a GPU: a repair must not quietly leave it
  SearchResult result_;
};

void Search::name_model(const Script& script, const Call& call, LoadCall& load) const {
  if (!situation_.model_override.empty()) {
    load.model = situation_.model_override;
  } else if (!load.model) {
    load.model = model_named_elsewhere(script, call, load);
  }
}

std::optional<Search::Loaded> Search::load(const Candidate& candidate) {
  Loaded loaded{std::make_unique<Script>(Script::read(candidate.text)), nullptr};
  if (situation_.machine != nullptr && situation_.machine->gpus_known) {
    loaded.script->assume_gpus(static_cast<int>(situation_.machine->gpus.size()));
  }
  const Script& script = *loaded.script;
  auto call = nth_call(script, candidate.callee, candidate.ordinal);
  if (!call) return std::nullopt;
  LoadCall load = read_load(script, *call);
  name_model(script, *call, load);
  std::vector<Move> moves = moves_after(script, *call);
  const Model* model = nullptr;
  if (load.model && situation_.kb != nullptr) {
    const auto& found = model_for(load, releases_.front().transformers);
    model = std::get_if<Model>(&found);
    if (const auto* none = std::get_if<NoModel>(&found)) result_.no_model = *none;
  }
  loaded.stage.reset(new Stage{script, *call, std::move(load), std::move(moves), situation_, model, situation_.machine,
                               releases_.front().transformers, releases_.front().accelerate});
  return loaded;
}

const std::variant<Model, NoModel>& Search::model_for(const LoadCall& load, const kb::Release& release) {
  const std::string key = *load.model + "|" + load.class_name + "|" +
                          (load.dtype        ? dtype_name(*load.dtype)
                           : load.dtype_auto ? "auto"
                                             : "") +
                          "|" + release.text();
  auto at = models_.find(key);
  if (at == models_.end()) {
    ModelQuery query;
    query.name = *load.model;
    query.working_folder = situation_.working_folder;
    query.auto_class = load.class_name;
    if (situation_.machine != nullptr && !situation_.working_folder.empty()) {
      for (const probes::Disk& disk : situation_.machine->disks) {
        if (disk.purpose == "cache") query.cache_folders.emplace_back(disk.path);
      }
    }
    query.dtype = load.dtype;
    query.dtype_auto = load.dtype_auto;
    query.quantized = !load.settings.quantizer.empty();
    query.transformers = release;
    at = models_.emplace(key, find_model(query, *situation_.kb)).first;
  }
  return at->second;
}

bool sizes_at_hand(const Stage& stage) {
  return stage.model != nullptr && stage.model->bytes != 0 && !stage.model->tree.root.children.empty() &&
         stage.machine != nullptr && stage.machine->gpus_known && stage.machine->memory.available_bytes &&
         !stage.load.device_map_unreadable && !stage.load.max_memory_unreadable &&
         !stage.load.quantization_unreadable && !stage.load.opaque;
}

Moved device_after(const std::vector<Move>& moves) {
  Moved moved;
  for (const Move& move : moves) {
    if (move.device) moved = move.device;
  }
  return moved;
}

bool uses_gpu(const Outcome& outcome) {
  return std::any_of(outcome.devices.begin(), outcome.devices.end(), [](const DeviceUse& use) {
    return std::holds_alternative<std::int64_t>(use.capacity.device) && use.weights_bytes != 0;
  });
}

// A checkpoint that is not here yet has to find room before weights can be read from it.
void need_room_for_checkpoint(Outcome& outcome, const Model& model) {
  for (DeviceUse& use : outcome.devices) {
    if (use.capacity.device != Device(std::string("disk")) || use.weights_bytes <= use.capacity.free_bytes) continue;
    if (model.origin == "checkpoint") continue;
    outcome.fits = use.fits = false;
    outcome.short_bytes = std::max(outcome.short_bytes, model.bytes - std::min(model.bytes, use.capacity.free_bytes));
    outcome.short_device = "the disk, where the checkpoint has to be";
  }
}

// As it lies in memory after what the script does with it; `cast` holds it where that is another dtype.
const Model* Search::model_in_use(const Stage& stage, const kb::Release& transformers, Model& cast) {
  const auto* model = std::get_if<Model>(&model_for(stage.load, transformers));
  if (model == nullptr) return nullptr;
  const auto type = dtype_when_moved(stage.load, stage.moves);
  if (!type || *type == model->dtype) return model;
  cast = cast_to(*model, *type);
  return &cast;
}

bool Search::accepted_by(const Loaded& loaded, const ReleasePair& releases, Candidate& candidate, bool first) {
  const Stage& stage = *loaded.stage;
  const Rules rules = rules_for(releases.transformers, releases.accelerate);
  if (!sizes_at_hand(stage)) {
    const auto& budgets = stage.load.max_memory;
    return !argument_error(stage.load, budgets, rules) && !(budgets && budget_error(*budgets, rules));
  }
  Model cast;
  const Model* model = model_in_use(stage, releases.transformers, cast);
  if (model == nullptr) return false;
  const auto* as_loaded = std::get_if<Model>(&model_for(stage.load, releases.transformers));
  Outcome outcome = simulate_load(stage.load, *model, *stage.machine, situation_.options, rules,
                                  device_after(stage.moves), as_loaded);
  if (situation_.planning) need_room_for_checkpoint(outcome, *model);
  const bool good = !outcome.error && outcome.fits && !(wants_gpu_ && !uses_gpu(outcome));
  candidate.verified_sizes = true;
  if (first || !good) candidate.outcome = std::move(outcome);
  return good;
}

bool Search::evaluate(Candidate& candidate) {
  ++evaluations_;
  auto loaded = load(candidate);
  if (!loaded) return false;
  candidate.call_text = loaded->stage->source(loaded->stage->call.range);
  bool first = true;
  for (const ReleasePair& releases : releases_) {
    if (!accepted_by(*loaded, releases, candidate, first)) return false;
    first = false;
  }
  return true;
}

// Corrections of what is written wrongly first, then the strategies that the failure's entry names, in its order, then
// the rest of what makes room.
std::vector<std::pair<const Strategy*, kb::Recipe>> Search::ordered_strategies() const {
  std::vector<std::pair<const Strategy*, kb::Recipe>> ordered;
  const std::vector<kb::Recipe> none;
  const std::vector<kb::Recipe>& recipes = situation_.failure ? situation_.failure->recipes : none;
  const auto recipe_of = [&](const Strategy& strategy) {
    const auto at = std::find_if(recipes.begin(), recipes.end(),
                                 [&](const kb::Recipe& recipe) { return recipe.strategy == strategy.name; });
    return at == recipes.end() ? kb::Recipe{} : *at;
  };
  for (const Strategy& strategy : strategies()) {
    const kb::Recipe recipe = recipe_of(strategy);
    const bool always = strategy.name == "drop-move" || strategy.name == "correct-max-memory";
    if (!strategy.needs_sizes() && (always || !recipe.strategy.empty())) ordered.emplace_back(&strategy, recipe);
  }
  for (const kb::Recipe& recipe : recipes) {
    for (const Strategy& strategy : strategies()) {
      if (strategy.needs_sizes() && strategy.name == recipe.strategy) ordered.emplace_back(&strategy, recipe);
    }
  }
  for (const Strategy& strategy : strategies()) {
    const bool makes_room = strategy.needs_sizes() && strategy.name != "complete-device-map";
    if (makes_room && recipe_of(strategy).strategy.empty()) ordered.emplace_back(&strategy, kb::Recipe{});
  }
  return ordered;
}

// One edit where several say the same (all values of a comprehension stand at one place); false: two of them would
// change the same bytes in different ways.
bool single_out(std::vector<Edit>& edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.range.begin < b.range.begin; });
  edits.erase(std::unique(edits.begin(), edits.end()), edits.end());
  for (std::size_t i = 1; i < edits.size(); ++i) {
    if (edits[i].range.begin < edits[i - 1].range.end) return false;
  }
  return true;
}

std::string joined(const std::string& a, const std::string& b) { return a.empty() ? b : b.empty() ? a : a + "; " + b; }

// Where the call as it stands is accepted and fits, only what the simulation does not see may still be wrong: the form
// of an argument, a move, a gap in the map.
bool still_sensible(const Strategy& strategy) {
  return !strategy.needs_sizes() || strategy.name == "complete-device-map";
}

bool may_propose(const Strategy& strategy, bool named, bool sizes) {
  switch (strategy.stands_on) {
    case StandsOn::text:
      return true;
    case StandsOn::sizes:
      return sizes || named;
    case StandsOn::fit:
      return sizes;
  }
  return false;
}

std::vector<Candidate> Search::next(const Candidate& from) {
  std::vector<Candidate> out;
  auto loaded = load(from);
  if (!loaded) return out;
  const auto ordered = ordered_strategies();
  for (std::size_t place = 0; place < ordered.size(); ++place) {
    const auto& [strategy, recipe] = ordered[place];
    const bool named = !recipe.strategy.empty();
    if (nothing_to_repair() && !still_sensible(*strategy)) continue;
    if (!may_propose(*strategy, named, sizes_at_hand(*loaded->stage))) continue;
    for (Step& step : strategy->propose(*loaded->stage, recipe)) {
      Candidate candidate = from;
      if (!single_out(step.edits)) continue;
      candidate.text = apply_edits(from.text, step.edits);
      if (candidate.text == from.text || !seen_.insert(candidate.text).second) continue;
      if (!step.callee.empty()) {
        candidate.ordinal = calls_before(loaded->stage->script, step.callee, loaded->stage->call.range.begin);
        candidate.callee = step.callee;
      }
      candidate.strategies.emplace_back(strategy->name);
      candidate.order = std::max(from.order, place);
      candidate.changes.insert(candidate.changes.end(), step.changes.begin(), step.changes.end());
      candidate.before.insert(candidate.before.end(), step.before.begin(), step.before.end());
      candidate.cost = joined(from.cost, step.cost);
      candidate.safety = std::max(from.safety, step.safety);
      candidate.addresses_cause = from.addresses_cause || named;
      candidate.outcome.reset();
      out.push_back(std::move(candidate));
    }
  }
  return out;
}

std::uint64_t needed_bytes(const Stage& stage) {
  std::uint64_t bytes = 0;
  LoadSettings settings = stage.load.settings;
  settings.dtype = stage.model->dtype;
  for (const auto& [device, part] : bytes_by_device(stage.model->tree, stage.model->facts, {{"", std::int64_t{0}}},
                                                    settings, rules_for(stage.transformers, stage.accelerate))) {
    bytes += part;
  }
  return bytes;
}

// The failure is one of room (its entry names strategies that make some), and the call as written fails in the
// simulation.
bool Search::lacks_room() const {
  if (!situation_.failure || !result_.original || (!result_.original->error && result_.original->fits)) return false;
  const auto& recipes = situation_.failure->recipes;
  return std::any_of(recipes.begin(), recipes.end(), [](const kb::Recipe& recipe) {
    return recipe.strategy == "recompute-max-memory" || recipe.strategy == "name-dtype" ||
           recipe.strategy.rfind("quantize", 0) == 0;
  });
}

void Search::keep_nearest(const Candidate& candidate) {
  if (!candidate.outcome || candidate.outcome->error || candidate.outcome->fits) return;
  const bool nearer = !result_.nearest || candidate.outcome->short_bytes < result_.nearest->outcome->short_bytes;
  if (nearer) result_.nearest = candidate;
}

void Search::measure_nearest() {
  if (!result_.nearest || !result_.accepted.empty()) return;
  const auto loaded = load(*result_.nearest);
  if (!loaded) return;
  Model cast;
  const kb::Release& release = releases_.front().transformers;
  const Model* model = model_in_use(*loaded->stage, release, cast);
  if (model == nullptr) return;
  result_.nearest_context =
      longest_context(*result_.nearest->outcome, *model, *situation_.machine, situation_.options, release);
}

void Search::expand(const Candidate& from, std::vector<Candidate>& frontier) {
  for (Candidate& candidate : next(from)) {
    if (evaluations_ >= most_evaluations) return;
    const bool good = evaluate(candidate);
    // Proven to be a repair: the entry names the strategy, or the call as written fails in the simulation and this one
    // does not.
    if (good && (candidate.addresses_cause || (candidate.verified_sizes && (situation_.planning || lacks_room())))) {
      result_.accepted.push_back(candidate);
    } else {
      keep_nearest(candidate);
      frontier.push_back(std::move(candidate));
    }
  }
}

SearchResult Search::run() {
  Candidate start;
  start.text = original_.text();
  start.callee = call_.callee;
  start.ordinal = ordinal_of(original_, call_);
  seen_.insert(start.text);
  const bool good = evaluate(start);
  result_.original = start.outcome;
  wants_gpu_ = start.outcome && uses_gpu(*start.outcome);
  if (situation_.planning && good && start.verified_sizes) result_.accepted.push_back(start);
  if (auto loaded = load(start)) {
    result_.sizes_known = sizes_at_hand(*loaded->stage);
    if (loaded->stage->model != nullptr) result_.model = *loaded->stage->model;
    if (result_.sizes_known) result_.needed_bytes = needed_bytes(*loaded->stage);
  }
  std::vector<Candidate> frontier = {start};
  for (int step = 0; step < most_steps && evaluations_ < most_evaluations; ++step) {
    std::vector<Candidate> following;
    for (const Candidate& candidate : frontier) expand(candidate, following);
    // A further step may still keep on the GPUs what these leave outside.
    const bool kept = std::any_of(result_.accepted.begin(), result_.accepted.end(), [&](const Candidate& candidate) {
      const bool offloads = candidate.outcome && candidate.outcome->offloaded_bytes != 0;
      return !offloads && (step > 0 || candidate.safety == Safety::same_results);
    });
    if (kept) break;
    frontier = std::move(following);
  }
  measure_nearest();
  return std::move(result_);
}

}  // namespace

SearchResult search_fixes(const Situation& situation, const Script& script, const Call& call,
                          const std::vector<ReleasePair>& releases) {
  return Search(situation, script, call, releases).run();
}

}  // namespace whyfail::fixer
