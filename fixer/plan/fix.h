// The answer: what to change, proven by simulating the rewritten text (contract: the "fix" object of the report).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fixer/call/failing_call.h"
#include "fixer/model/model.h"
#include "fixer/placement/place.h"
#include "kb/knowledge_base.h"
#include "matchers/reading.h"
#include "probes/machine.h"

namespace whyfail::fixer {

enum class FixStatus { ready, changes_only, no_fit, none };
enum class Safety { same_results, changes_results, needs_review };
enum class Preference { exact, speed, fit };

struct Change {
  std::string argument;
  std::string old_value;
  std::string new_value;
  std::string reason;
  Safety safety = Safety::same_results;
};

struct DeviceBudget {
  Device device;
  std::uint64_t free_bytes = 0;  // as measured or stated
  std::optional<std::uint64_t> budget_bytes;
  std::uint64_t weights_bytes = 0;
  bool read_in_place = false;  // the disk: the weights stay in the checkpoint's files and take no further room
  // Held at most while the call loads, where that is more than the weights that stay; 0: it is not.
  std::uint64_t load_peak_bytes = 0;
  std::string load_peak_why;       // "a .bin file is read as a whole"
  bool load_peak_certain = true;   // false: at most that, perhaps less
  bool load_peak_measured = true;  // with the library at work; false: read in its source
  std::uint64_t cache_bytes = 0;   // what generating takes: KV cache and logits
  // Context, cache, logits, desktop: what the budget leaves free of the measured bytes.
  std::uint64_t reserve_bytes = 0;
  std::vector<std::pair<std::string, std::uint64_t>> terms;  // how the budget came about, each with its name
  std::vector<std::string> modules;                          // that the device map puts here, in its order
};

struct Need {        // a fact that is missing
  std::string fact;  // "gpus"
  std::string why;
  std::string how;
};

struct Command {     // a step outside of the script
  std::string line;  // for a shell or a notebook's cell; empty: `why` says what to do
  std::string why;
};

struct Fix {
  FixStatus status = FixStatus::none;
  std::string call;    // whole call when ready
  std::string before;  // lines needed before it
  std::vector<Change> changes;
  Safety safety = Safety::same_results;
  std::vector<DeviceBudget> devices;
  DeviceMap device_map;
  std::vector<PassedOver> passed_over;  // why each device ends where it does
  std::string why_here;  // why the call as written fails on this machine, with figures; empty: sizes are not known
  std::string verified;  // "placement simulated as transformers 4.44.2 does it"; empty: not verified
  std::string cost;      // what the reader pays
  std::vector<std::string> notes;  // what makes the answer less than certain, a sentence each
  std::string short_of;            // no_fit: how much is missing and the smallest thing that would do
  std::vector<Need> needs;
  std::vector<Command> commands;  // before the call, in this order
  std::vector<Fix> alternatives;
  std::optional<Model> model;  // that the plan was made for, as the original call loads it; of the best plan only
  std::uint64_t context = 0;   // tokens a sequence for whose cache room is kept; of the best plan only
  std::string strategy;        // names of the strategies that made it, joined by " + "
  std::string rewritten;       // the whole text of FoundCall::script after the edits; empty: no file at hand
  std::vector<Edit> edits;     // the same as one edit on FoundCall::script
};

struct PlanOptions {
  std::uint64_t context = 0;  // tokens for the KV cache; 0: the default allowance, said in the terms
  std::uint64_t batch = 1;
  Preference preference = Preference::exact;
  std::vector<std::pair<Device, std::uint64_t>> reserve;  // --reserve 0=2GiB
};

// Everything that the search may look at. Pointers may be null: not known.
struct Situation {
  const kb::KnowledgeBase* kb = nullptr;
  std::optional<kb::Failure> failure;
  const matchers::Match* match = nullptr;
  const matchers::Reading* reading = nullptr;
  const FoundCall* call = nullptr;
  const probes::Machine* machine = nullptr;
  std::vector<kb::Release> transformers;  // all that fit; each behaviour is simulated
  std::vector<kb::Release> accelerate;
  std::string model_override;  // --model
  bool planning = false;       // no failure: every call that loads and fits is an answer, the one as written too
  std::filesystem::path working_folder;
  PlanOptions options;
};

Fix find_fix(const Situation& situation);

}  // namespace whyfail::fixer
