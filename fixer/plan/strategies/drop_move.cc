// A dispatched or quantized model is in its place already: .to("cuda"), .cuda() or pipeline(device=…) behind it goes.
#include <algorithm>

#include "fixer/call/changes.h"
#include "fixer/plan/strategy.h"

namespace whyfail::fixer {
namespace {

std::vector<Edit> removal(const Stage& stage, const Move& move) {
  if (move.pipeline) return remove_argument(stage.script, move.call, "device");
  return remove_method_call(stage.script, move.call);
}

// The type that casts leave the weights in: the loading call can give it at once, and a cast of a dispatched model
// does not reach the weights that lie outside the GPUs.
std::optional<DType> cast_to(const Stage& stage) {
  std::optional<DType> type;
  for (const Move& move : stage.moves) {
    if (move.casts && stage.load.settings.quantizer.empty()) type = move.dtype;
  }
  return type;
}

bool casts_to_unknown(const Stage& stage) {
  return std::any_of(stage.moves.begin(), stage.moves.end(), [&](const Move& move) {
    return move.casts && !move.dtype && stage.load.settings.quantizer.empty();
  });
}

// False: the loading call can't be made to give that type.
bool load_as(const Stage& stage, DType type, Step& step) {
  if (stage.load.dtype == type) return true;
  if (stage.load.dtype_unreadable || !imports_torch(stage)) return false;
  const std::string argument = dtype_argument(stage);
  const std::string value = std::string("torch.") + dtype_name(type);
  const std::vector<Edit> edits = write_parameter(stage, argument, value);
  if (edits.empty()) return false;
  step.edits.insert(step.edits.end(), edits.begin(), edits.end());
  step.changes.push_back({argument, written_value(stage, argument), value,
                          "the type that the cast behind the call gave; here no weight is missed",
                          Safety::same_results});
  return true;
}

// pipeline(model=model, device=0) where the failing call is the pipeline itself: the model it is given is an object
// that lies where its own loading call put it.
std::vector<Step> drop_device(const Stage& stage, const Parameter& device) {
  Step step;
  step.edits = drop_parameter(stage, device);
  if (step.edits.empty()) return {};
  step.changes = {{"device", written_value(stage, "device"), "",
                   "the model lies where its device_map put it; the pipeline finds it there", Safety::same_results}};
  return {step};
}

}  // namespace

std::vector<Step> drop_move(const Stage& stage, const kb::Recipe&) {
  if (stage.load.loader == Loader::pipeline) {
    const Parameter* device = stage.load.find("device");
    const Parameter* model = stage.load.find("model");
    const bool placed =
        stage.load.find("device_map") != nullptr || (model != nullptr && model->value.kind != Value::Kind::text);
    return device != nullptr && placed ? drop_device(stage, *device) : std::vector<Step>{};
  }
  Step step;
  for (const Move& move : stage.moves) {
    if (!move.device && !move.casts) continue;
    std::vector<Edit> edits = removal(stage, move);
    if (edits.empty()) return {};
    step.edits.insert(step.edits.end(), edits.begin(), edits.end());
    const std::string written = move.pipeline ? "device" : stage.source(move.call.range);
    step.changes.push_back({written, move.pipeline ? stage.source(move.call.argument("device")->value) : written, "",
                            "the loading call has put the weights where they belong; moving them again is refused",
                            Safety::same_results});
  }
  if (step.edits.empty() || casts_to_unknown(stage)) return {};
  if (const auto type = cast_to(stage); type && !load_as(stage, *type, step)) return {};
  return {step};
}

}  // namespace whyfail::fixer
