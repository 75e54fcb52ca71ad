// Explicit device maps: complete one that leaves modules out, or take another kind of map.
#include <algorithm>

#include "fixer/call/changes.h"
#include "fixer/call/syntax.h"
#include "fixer/plan/map_coverage.h"
#include "fixer/plan/strategy.h"

namespace whyfail::fixer {
namespace {

std::string device_text(const Device& device) {
  if (const auto* index = std::get_if<std::int64_t>(&device)) return std::to_string(*index);
  return '"' + std::get<std::string>(device) + '"';
}

std::string in_quotes(const std::string& text) { return '"' + text + '"'; }

// A map that is made outside of this text, or from what only the run knows, is not replaced: what it is for can't be
// told.
bool is_made_here(const Stage& stage) {
  const Parameter* parameter = stage.load.find("device_map");
  if (parameter == nullptr || !stage.load.device_map_unreadable) return true;
  const Value& value = parameter->value;
  if (value.kind == Value::Kind::dict) return true;
  if (value.kind != Value::Kind::call) return false;
  const auto bound = stage.script.parts().bindings.find(binding_key(0, value.text));
  const bool own = bound != stage.script.parts().bindings.end() && bound->second.size() == 1 &&
                   bound->second.front().kind == Binding::Kind::definition;
  return own || value.text == "infer_auto_device_map";
}

Step whole_map(const Stage& stage, const std::string& value, const std::string& reason) {
  if (!is_made_here(stage)) return {};
  Step step;
  step.edits = write_parameter(stage, "device_map", value);
  step.changes = {{"device_map", written_value(stage, "device_map"), value, reason, Safety::same_results}};
  return step;
}

// All entries added behind the last one.
std::vector<Edit> added_entries(const Stage& stage, const Parameter& parameter,
                                const std::vector<std::pair<std::string, Device>>& entries) {
  std::vector<std::pair<std::string, std::string>> written;
  for (const auto& [name, device] : entries) written.emplace_back(in_quotes(name), device_text(device));
  return add_entries(stage.script, parameter.expression, written);
}

bool same_device(const DeviceMap& map) {
  return !map.empty() &&
         std::all_of(map.begin(), map.end(), [&](const auto& entry) { return entry.second == map.front().second; });
}

bool is_offloaded(const Device& device) {
  const auto* name = std::get_if<std::string>(&device);
  return name != nullptr && (*name == "cpu" || *name == "disk");
}

std::optional<Device> first_gpu(const Stage& stage) {
  if (stage.machine == nullptr) return std::nullopt;
  std::optional<Device> first;
  for (const probes::Gpu& gpu : stage.machine->gpus) {
    if (gpu.index && (!first || Device(static_cast<std::int64_t>(*gpu.index)) < *first))
      first = static_cast<std::int64_t>(*gpu.index);
  }
  return first;
}

// Entries on CPU or disk go to the first GPU; what the map leaves out is added.
std::vector<Step> bring_to_gpu(const Stage& stage, const Parameter& parameter) {
  const Value& dict = parameter.value;
  const auto gpu = first_gpu(stage);
  if (!gpu) return {};
  Step step;
  DeviceMap map = stage.load.device_map.map;
  for (std::size_t i = 0; i < dict.pairs.size() && i < map.size(); ++i) {
    if (!is_offloaded(map[i].second)) continue;
    const TextRange range = dict.pairs[i].second.range;
    if (range.end <= range.begin) return {};
    step.edits.push_back({range, device_text(*gpu)});
    step.changes.push_back({"device_map[" + in_quotes(map[i].first) + "]", stage.source(range), device_text(*gpu),
                            "there is room for it on GPU 0", Safety::same_results});
    map[i].second = *gpu;
  }
  if (step.edits.empty()) return {};
  std::vector<Step> steps = {step};
  if (stage.model != nullptr) {
    const auto missing = left_out(stage.model->tree, map);
    const std::vector<Edit> added = added_entries(stage, parameter, missing);
    if (!added.empty()) {
      step.edits.insert(step.edits.end(), added.begin(), added.end());
      for (const auto& [name, device] : missing) {
        step.changes.push_back({"device_map[" + in_quotes(name) + "]", "", device_text(device), "the map left it out",
                                Safety::same_results});
      }
      steps.insert(steps.begin(), std::move(step));
    }
  }
  return steps;
}

}  // namespace

std::vector<Step> complete_device_map(const Stage& stage, const kb::Recipe&) {
  const Parameter* parameter = stage.load.find("device_map");
  if (parameter == nullptr || parameter->value.kind != Value::Kind::dict || stage.load.device_map_unreadable) return {};
  std::vector<Step> steps;
  const DeviceMap& map = stage.load.device_map.map;
  if (stage.model != nullptr) {
    const auto missing = left_out(stage.model->tree, map);
    Step step;
    step.edits = added_entries(stage, *parameter, missing);
    for (const auto& [name, device] : missing) {
      step.changes.push_back({"device_map[" + in_quotes(name) + "]", "", device_text(device), "the map left it out",
                              Safety::same_results});
    }
    if (!step.edits.empty()) steps.push_back(std::move(step));
  }
  const bool covered = stage.model != nullptr && steps.empty();
  if (same_device(map) && !covered && map.front().first != "") {
    steps.push_back(whole_map(stage, "{\"\": " + device_text(map.front().second) + "}",
                              "the map names one device only, and \"\" stands for the whole model"));
  }
  return steps;
}

std::vector<Step> explicit_device_map(const Stage& stage, const kb::Recipe&) {
  std::vector<Step> steps;
  const Parameter* parameter = stage.load.find("device_map");
  if (parameter != nullptr && parameter->value.kind == Value::Kind::dict && !stage.load.device_map_unreadable) {
    steps = bring_to_gpu(stage, *parameter);
  }
  if (stage.machine == nullptr) return steps;
  const bool no_gpu = stage.machine->gpus_known && stage.machine->gpus.empty();
  if (no_gpu)
    steps.push_back(whole_map(stage, "{\"\": \"cpu\"}", "no GPU is here, so the whole model stays on the CPU"));
  std::vector<int> keys;
  for (const probes::Gpu& gpu : stage.machine->gpus) {
    if (gpu.index) keys.push_back(*gpu.index);
  }
  std::sort(keys.begin(), keys.end());
  for (const int key : keys) {
    if (key != keys.front() && works_on_gpu(stage)) break;  // the script puts its inputs on the first one
    const std::string value = "{\"\": " + std::to_string(key) + "}";
    if (written_value(stage, "device_map") == value) continue;
    steps.push_back(
        whole_map(stage, value, "the whole model fits on GPU " + std::to_string(key) + ", so nothing has to be split"));
  }
  return steps;
}

std::vector<Step> automatic_device_map(const Stage& stage, const kb::Recipe&) {
  const DeviceMapArgument& now = stage.load.device_map;
  const auto is = [&](const char* strategy) {
    return now.kind == DeviceMapArgument::Kind::text && now.text == strategy;
  };
  std::vector<Step> steps;
  if (!is("auto")) steps.push_back(whole_map(stage, "\"auto\"", "the library spreads the layers over what is free"));
  const auto cards = stage.machine == nullptr
                         ? 0
                         : std::count_if(stage.machine->gpus.begin(), stage.machine->gpus.end(),
                                         [](const probes::Gpu& gpu) { return gpu.index.has_value(); });
  if (cards > 1 && !is("sequential")) {
    steps.push_back(
        whole_map(stage, "\"sequential\"", "one card is filled after the other, which wastes least where they differ"));
  }
  return steps;
}

std::vector<Step> drop_device_map(const Stage& stage, const kb::Recipe&) {
  const Parameter* parameter = stage.load.find("device_map");
  if (parameter == nullptr) return {};
  Step step;
  step.edits = drop_parameter(stage, *parameter);
  if (step.edits.empty()) return {};
  step.changes = {{"device_map", written_value(stage, "device_map"), "", "a distributed run places the model itself",
                   Safety::same_results}};
  return {step};
}

}  // namespace whyfail::fixer
