// A strategy only proposes edits on the call as it stands; the search (search.h) alone composes, simulates, costs and
// orders them. One file a strategy in strategies/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fixer/plan/budget.h"
#include "fixer/plan/fix.h"
#include "fixer/plan/load_call.h"
#include "fixer/plan/moves.h"
#include "kb/release.h"
#include "kb/releases.h"

namespace whyfail::fixer {

// What a strategy may look at: the text as it stands now (earlier steps applied) and the facts.
struct Stage {
  const Script& script;
  Call call;
  LoadCall load;
  std::vector<Move> moves;  // .to("cuda") and the like after loading
  const Situation& situation;
  const Model* model = nullptr;  // null: sizes are not known
  const probes::Machine* machine = nullptr;
  kb::Release transformers;  // one of those that fit; the search checks the others
  kb::Release accelerate;

  std::string source(const TextRange& range) const;  // the text of a range, as written
};

struct Step {
  std::vector<Edit> edits;
  std::vector<Change> changes;
  std::vector<std::string> before;  // lines that must stand before the call (imports)
  std::string callee;               // what the loading call is called afterwards; empty: as before
  std::string cost;                 // what the reader pays for it; empty: nothing
  Safety safety = Safety::same_results;
};

using Propose = std::vector<Step> (*)(const Stage&, const kb::Recipe&);

// What a strategy stands on: the text alone; sizes, which prove it, though it is sound advice without; or a claim that
// something fits, which is no advice where sizes are not known.
enum class StandsOn { text, sizes, fit };

struct Strategy {
  std::string_view name;  // as recipes name it
  Propose propose;
  StandsOn stands_on;
  bool needs_sizes() const { return stands_on != StandsOn::text; }
};

// All strategies, least change first.
const std::vector<Strategy>& strategies();

// Edits of one parameter, wherever it is written: in the call, in a dict spread into it, in pipeline's model_kwargs, or
// in an assignment that only this call uses.
std::vector<Edit> write_parameter(const Stage& stage, std::string_view name, const std::string& value);
std::vector<Edit> drop_parameter(const Stage& stage, const Parameter& parameter);
std::vector<Edit> rename_parameter(const Stage& stage, const Parameter& parameter, std::string_view name);
// A text in quotes, in single ones where `written` has them.
std::string in_quotes_like(const std::string& written, const std::string& text);
// The value as written now; "" when the parameter is not given.
std::string written_value(const Stage& stage, std::string_view name);

// Whether the script itself works on GPU 0, apart from the call: .to("cuda"), .cuda(), device="cuda:0".
bool works_on_gpu(const Stage& stage);

// Whether the module binds "torch" by an import.
bool imports_torch(const Stage& stage);

// "dtype" or "torch_dtype": what this release takes.
std::string dtype_argument(const Stage& stage);

std::vector<Step> correct_device_string(const Stage&, const kb::Recipe&);
std::vector<Step> complete_device_map(const Stage&, const kb::Recipe&);
std::vector<Step> explicit_device_map(const Stage&, const kb::Recipe&);
std::vector<Step> automatic_device_map(const Stage&, const kb::Recipe&);
std::vector<Step> correct_max_memory(const Stage&, const kb::Recipe&);
std::vector<Step> recompute_max_memory(const Stage&, const kb::Recipe&);
std::vector<Step> offload_folder(const Stage&, const kb::Recipe&);
std::vector<Step> name_dtype(const Stage&, const kb::Recipe&);
std::vector<Step> rename_argument(const Stage&, const kb::Recipe&);
std::vector<Step> merge_quantization(const Stage&, const kb::Recipe&);
std::vector<Step> fp32_offload(const Stage&, const kb::Recipe&);
std::vector<Step> quantize_4bit(const Stage&, const kb::Recipe&);
std::vector<Step> quantize_8bit(const Stage&, const kb::Recipe&);
std::vector<Step> drop_move(const Stage&, const kb::Recipe&);
std::vector<Step> drop_device_map(const Stage&, const kb::Recipe&);
std::vector<Step> right_class(const Stage&, const kb::Recipe&);

}  // namespace whyfail::fixer
