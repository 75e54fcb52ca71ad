// Names the dtype (without it, transformers 4 loads in float32), and renames arguments that the release does not have.
#include <array>

#include "fixer/plan/strategy.h"

namespace whyfail::fixer {
namespace {

// The function whose arguments count for this call, as the release data names it.
std::string function_of(const Stage& stage) {
  return stage.load.loader == Loader::pipeline ? "pipeline" : "PreTrainedModel.from_pretrained";
}

bool known_everywhere(const Stage& stage, const std::string& argument) {
  if (stage.situation.kb == nullptr || stage.situation.transformers.empty()) return false;
  for (const kb::Release& release : stage.situation.transformers) {
    if (!kb::has_argument(*stage.situation.kb, "transformers", function_of(stage), argument, release).value_or(false))
      return false;
  }
  return true;
}

Step renamed(const Stage& stage, const Parameter& parameter, const std::string& name, const std::string& reason) {
  Step step;
  step.edits = rename_parameter(stage, parameter, name);
  step.changes = {{parameter.name, parameter.name, name, reason, Safety::same_results}};
  return step;
}

// The flag of the old message; the library never took it under this name (transformers,
// quantizers/quantizer_bnb_8bit.py).
std::vector<Step> fp32_flag(const Stage& stage, const Parameter& parameter) {
  const std::string name = "llm_int8_enable_fp32_cpu_offload";
  const std::string reason = "no release takes " + parameter.name + "; the option is " + name;
  const Parameter* config = stage.load.find("quantization_config");
  if (config == nullptr) return {renamed(stage, parameter, name, reason)};
  Step step;
  step.edits = drop_parameter(stage, parameter);
  step.changes = {{parameter.name, written_value(stage, parameter.name), "", reason + " of the quantization config",
                   Safety::same_results}};
  return {step};
}

}  // namespace

std::vector<Step> name_dtype(const Stage& stage, const kb::Recipe&) {
  if (stage.load.dtype_auto || stage.load.dtype_unreadable) return {};
  if (stage.load.loader != Loader::from_pretrained && stage.load.loader != Loader::pipeline) return {};
  const bool wide = stage.load.dtype && (*stage.load.dtype == DType::float32 || *stage.load.dtype == DType::float64);
  if (stage.load.dtype && !wide) return {};
  const bool half_stored = stage.model != nullptr && (stage.model->stored_dtype == DType::float16 ||
                                                      stage.model->stored_dtype == DType::bfloat16);
  if (stage.model != nullptr && !stage.load.dtype && stage.model->dtype != DType::float32) return {};
  std::string value = "\"auto\"";
  Step step;
  if (half_stored && imports_torch(stage)) {
    value = std::string("torch.") + dtype_name(stage.model->stored_dtype);
  } else if (!half_stored) {
    value = "torch.float16";
    if (!imports_torch(stage)) step.before = {"import torch"};
  }
  const std::string argument = dtype_argument(stage);
  step.edits = write_parameter(stage, argument, value);
  step.safety = Safety::changes_results;
  step.cost = "16-bit weights instead of float32: half the memory, as the checkpoint stores them";
  step.changes = {{argument, written_value(stage, argument), value,
                   "without it the weights are loaded in float32, twice their stored size", Safety::changes_results}};
  return {step};
}

std::vector<Step> rename_argument(const Stage& stage, const kb::Recipe&) {
  static constexpr std::array<std::pair<const char*, const char*>, 2> renames = {
      {{"dtype", "torch_dtype"}, {"torch_dtype", "dtype"}}};
  std::vector<Step> steps;
  for (const Parameter& parameter : stage.load.parameters) {
    if (parameter.name == "load_in_8bit_fp32_cpu_offload") return fp32_flag(stage, parameter);
    for (const auto& [from, to] : renames) {
      if (parameter.name != from || known_everywhere(stage, from) || !known_everywhere(stage, to)) continue;
      steps.push_back(renamed(stage, parameter, to, std::string("this release calls it ") + to));
    }
  }
  return steps;
}

}  // namespace whyfail::fixer
