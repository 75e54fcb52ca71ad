// bitsandbytes: one place for the options, fp32 offload of what does not fit, fewer bits.
#include <algorithm>

#include "fixer/plan/strategy.h"

namespace whyfail::fixer {
namespace {

bool on_bitsandbytes(const LoadCall& load) { return load.settings.quantizer.rfind("bitsandbytes", 0) == 0; }

// The BitsAndBytesConfig(…) call, where it is written out.
std::optional<Call> config_call(const Stage& stage) {
  const Parameter* config = stage.load.find("quantization_config");
  if (config == nullptr || config->value.kind != Value::Kind::call) return std::nullopt;
  return stage.script.call_at(config->value.range);
}

bool has_package(const Stage& stage, const char* name) {
  return stage.machine != nullptr && stage.machine->packages.count(name) != 0;
}

// A plan may ask for a package where nothing is said about the environment.
bool may_be_installed(const Stage& stage) {
  return stage.situation.planning && stage.machine != nullptr && stage.machine->packages.count("transformers") == 0 &&
         std::any_of(stage.machine->gpus.begin(), stage.machine->gpus.end(),
                     [](const probes::Gpu& gpu) { return gpu.index.has_value(); });
}

Step fewer_bits(const Stage& stage, const std::string& from, const std::string& to) {
  Step step;
  if (const auto config = config_call(stage); config && config->argument(from) != nullptr) {
    step.edits = rename_argument(stage.script, *config, from, to);
  } else if (const Parameter* flag = stage.load.find(from)) {
    step.edits = rename_parameter(stage, *flag, to);
  }
  step.changes = {
      {from, from + "=True", to + "=True", "4-bit weights take about half of 8-bit ones", Safety::changes_results}};
  return step;
}

Step new_config(const Stage& stage, const std::string& flag) {
  const std::string value = "BitsAndBytesConfig(" + flag + "=True)";
  Step step;
  step.edits = write_parameter(stage, "quantization_config", value);
  step.changes = {{"quantization_config", written_value(stage, "quantization_config"), value,
                   "quantized weights fit where the full ones do not", Safety::changes_results}};
  if (stage.script.text().find("BitsAndBytesConfig") == std::string::npos)
    step.before = {"from transformers import BitsAndBytesConfig"};
  return step;
}

std::vector<Step> quantize(const Stage& stage, const std::string& flag) {
  if (stage.load.quantization_unreadable || stage.load.loader != Loader::from_pretrained) return {};
  const bool four = flag == "load_in_4bit";
  Step step;
  if (stage.load.settings.quantizer == "bitsandbytes_8bit" && four) {
    step = fewer_bits(stage, "load_in_8bit", "load_in_4bit");
  } else if (stage.load.settings.quantizer.empty() && (has_package(stage, "bitsandbytes") || may_be_installed(stage)) &&
             (stage.model == nullptr || stage.model->quantization.empty())) {
    step = new_config(stage, flag);
  }
  if (step.edits.empty()) return {};
  step.safety = Safety::changes_results;
  step.cost = four ? "4-bit weights: answers differ slightly from the full precision"
                   : "8-bit weights: answers differ slightly from the full precision";
  if (stage.load.settings.quantizer.empty() && !has_package(stage, "bitsandbytes"))
    step.cost += "; needs bitsandbytes (pip install bitsandbytes)";
  return {step};
}

}  // namespace

std::vector<Step> merge_quantization(const Stage& stage, const kb::Recipe&) {
  if (stage.load.find("quantization_config") == nullptr) return {};
  for (const char* name : {"load_in_8bit", "load_in_4bit"}) {
    const Parameter* flag = stage.load.find(name);
    if (flag == nullptr) continue;
    Step step;
    step.edits = drop_parameter(stage, *flag);
    if (step.edits.empty()) return {};
    step.changes = {{name, written_value(stage, name), "",
                     "quantization_config says it already; both at once are refused", Safety::same_results}};
    return {step};
  }
  return {};
}

std::vector<Step> fp32_offload(const Stage& stage, const kb::Recipe&) {
  if (!on_bitsandbytes(stage.load) || stage.load.settings.fp32_cpu_offload || stage.load.quantization_unreadable)
    return {};
  if (!rules_for(stage.transformers, stage.accelerate).offloaded_int8_weights_load) return {};
  const std::string name = "llm_int8_enable_fp32_cpu_offload";
  Step step;
  if (const auto config = config_call(stage)) {
    step.edits = set_argument(stage.script, *config, name, "True");
  } else if (stage.load.find("quantization_config") == nullptr) {
    step.edits = write_parameter(stage, name, "True");
  }
  if (step.edits.empty()) return {};
  step.safety = Safety::changes_results;
  step.changes = {
      {name, "", "True", "lets the modules that do not fit the GPU stay in RAM, in 32 bits", Safety::changes_results}};
  step.cost = "modules in RAM are kept in float32 and computed with weights copied to the GPU at every token";
  return {step};
}

std::vector<Step> quantize_4bit(const Stage& stage, const kb::Recipe&) { return quantize(stage, "load_in_4bit"); }
std::vector<Step> quantize_8bit(const Stage& stage, const kb::Recipe&) { return quantize(stage, "load_in_8bit"); }

}  // namespace whyfail::fixer
