// device_map="gpu", {"": "cuda0"}, -1, "cuda:7": the nearest name that torch or the library knows, and never silently
// another device.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "fixer/plan/strategy.h"

namespace whyfail::fixer {
namespace {

constexpr std::array<std::string_view, 4> strategy_names = {"auto", "balanced", "balanced_low_0", "sequential"};
constexpr std::array<std::string_view, 6> device_types = {"cuda", "cpu", "mps", "xpu", "npu", "hpu"};

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 64)) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '"' || c == '\'') continue;
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

// Digits at the end of "cuda0", "cuda:1", "gpu-1"; the name before them in `name`.
std::optional<int> split_number(const std::string& text, std::string& name) {
  const auto last = text.find_last_not_of("0123456789");
  if (last == std::string::npos || last + 1 == text.size()) {
    name = text;
    return std::nullopt;
  }
  int number = 0;
  std::from_chars(text.data() + last + 1, text.data() + text.size(), number);
  name = text.substr(0, last + 1);
  while (!name.empty() && (name.back() == ':' || name.back() == '-' || name.back() == '_' || name.back() == ' '))
    name.pop_back();
  return number;
}

std::string nearest_type(const std::string& name) {
  if (name == "gpu" || name == "gpus" || name == "nvidia" || name == "rocm" || name == "hip" || name == "amd")
    return "cuda";
  for (const std::string_view type : device_types) {
    if (name == type) return std::string(type);
  }
  std::string best;
  for (const std::string_view type : device_types) {
    if (name.size() >= 3 && distance(name, type) == 1) {
      if (!best.empty()) return "";  // two are equally near: not told
      best = type;
    }
  }
  return best;
}

std::string nearest_strategy(const std::string& name) {
  for (const std::string_view known : strategy_names) {
    if (name == known) return std::string(known);
  }
  std::string best;
  std::size_t least = 3;
  for (const std::string_view known : strategy_names) {
    const std::size_t d = distance(name, known);
    if (d < least && d * 3 <= known.size()) {
      least = d;
      best = known;
    }
  }
  return best;
}

int gpu_count(const Stage& stage) {
  return stage.machine == nullptr
             ? 0
             : static_cast<int>(std::count_if(stage.machine->gpus.begin(), stage.machine->gpus.end(),
                                              [](const probes::Gpu& gpu) { return gpu.index.has_value(); }));
}

bool no_gpu(const Stage& stage) {
  return stage.machine != nullptr && stage.machine->gpus_known && stage.machine->gpus.empty();
}

struct Candidate {
  std::string value;  // as Python text
  std::string reason;
  Safety safety = Safety::same_results;
};

std::string in_quotes(const std::string& text) { return '"' + text + '"'; }

// A GPU number that this machine does not have.
std::vector<Candidate> other_number(const Stage& stage, int number, bool as_text, bool in_map) {
  const int gpus = gpu_count(stage);
  if (gpus == 0) return {};
  const std::string have = gpus == 1 ? "only GPU 0" : "GPUs 0 to " + std::to_string(gpus - 1);
  const std::string reason = "there is no GPU " + std::to_string(number) + " here: this machine has " + have;
  std::vector<Candidate> all = {
      {as_text ? in_quotes("cuda:0") : "0", reason + "; GPU 0 is used instead", Safety::same_results}};
  if (!in_map && gpus > 1) all.push_back({in_quotes("auto"), reason + "; the layers are spread", Safety::same_results});
  return all;
}

std::vector<Candidate> for_text(const Stage& stage, const std::string& written, bool in_map) {
  const std::string text = plain(written);
  std::string name;
  const std::optional<int> number = split_number(text, name);
  const std::string shown = in_quotes(written) + " is neither a strategy nor a device that torch knows";
  if (!in_map) {
    if (const std::string strategy = nearest_strategy(text); !strategy.empty()) {
      return {{in_quotes(strategy), shown + "; the nearest strategy is " + in_quotes(strategy), Safety::same_results}};
    }
  }
  const std::string type = nearest_type(name);
  if (type == "cuda" && no_gpu(stage))
    return {{in_quotes("cpu"), "no GPU is here, so the model stays on the CPU", Safety::same_results}};
  if (type == "cuda") {
    if (number && stage.machine != nullptr && stage.machine->gpus_known && *number >= gpu_count(stage)) {
      return other_number(stage, *number, true, in_map);
    }
    const std::string one = in_quotes(number ? "cuda:" + std::to_string(*number) : in_map ? "cuda:0" : "cuda");
    std::vector<Candidate> all = {{one, shown + "; torch's name for it is " + one, Safety::same_results}};
    if (!in_map && !number)
      all.push_back(
          {in_quotes("auto"), shown + "; the model does not fit one GPU, \"auto\" spreads it", Safety::same_results});
    return all;
  }
  if (!type.empty()) {
    const std::string one = in_quotes(number ? type + ":" + std::to_string(*number) : type);
    return {{one, shown + "; torch's name for it is " + one, Safety::same_results}};
  }
  if (in_map) return {};
  return {{in_quotes("auto"), shown + "; \"auto\" lets the library place the layers", Safety::needs_review}};
}

std::vector<Candidate> for_integer(const Stage& stage, std::int64_t number, bool in_map) {
  if (number >= 0) {
    if (stage.machine == nullptr || !stage.machine->gpus_known || number < gpu_count(stage)) return {};
    return other_number(stage, static_cast<int>(std::min<std::int64_t>(number, 1 << 20)), false, in_map);
  }
  const std::string reason = "a negative number is no device";
  std::vector<Candidate> all;
  if (works_on_gpu(stage) && !no_gpu(stage)) {
    all.push_back({in_map ? "0" : in_quotes("cuda"), reason + "; the script works on the GPU", Safety::same_results});
    if (!in_map)
      all.push_back({in_quotes("auto"), reason + "; the script works on the GPU, and the model does not fit one",
                     Safety::same_results});
    return all;
  }
  return {{in_quotes("cpu"), reason + "; -1 means the CPU in pipelines", Safety::same_results}};
}

bool text_is_wrong(const Stage& stage, const std::string& text, bool in_map) {
  if (!in_map && stage.load.loader == Loader::dispatch) return true;
  if (!in_map && std::find(strategy_names.begin(), strategy_names.end(), text) != strategy_names.end()) return false;
  if (in_map && (text == "disk" || text == "cpu")) return false;
  if (!in_map && stage.load.loader == Loader::checkpoint) return true;
  std::string name;
  const std::optional<int> number = split_number(text, name);
  const bool known = std::find(device_types.begin(), device_types.end(), name) != device_types.end() || name == "meta";
  const bool well_formed = known && (number ? text == name + ":" + std::to_string(*number) : text == name);
  if (!well_formed) return true;
  if (name != "cuda" || stage.machine == nullptr || !stage.machine->gpus_known) return false;
  return number.value_or(0) >= gpu_count(stage);
}

Change change_of(const std::string& argument, const std::string& before, const Candidate& candidate) {
  return {argument, before, candidate.value, candidate.reason, candidate.safety};
}

// The text of a device as a string or torch.device(…) names it; nullopt: the value is neither.
std::optional<std::string> device_text(const Value& value) {
  const auto device = value.kind == Value::Kind::integer ? std::nullopt : device_of(value);
  const auto* text = device ? std::get_if<std::string>(&*device) : nullptr;
  return text == nullptr ? std::nullopt : std::optional(*text);
}

// Every wrong device of a dict, corrected in place.
std::vector<Step> correct_entries(const Stage& stage, const Value& dict) {
  Step step;
  for (const auto& [key, entry] : dict.pairs) {
    std::vector<Candidate> candidates;
    if (const auto text = device_text(entry); text && text_is_wrong(stage, *text, true)) {
      candidates = for_text(stage, *text, true);
    } else if (entry.kind == Value::Kind::integer) {
      candidates = for_integer(stage, entry.integer, true);
    } else {
      continue;
    }
    if (candidates.empty() || entry.range.end <= entry.range.begin) continue;
    step.edits.push_back({entry.range, candidates.front().value});
    step.changes.push_back(
        change_of("device_map[\"" + key.text + "\"]", stage.source(entry.range), candidates.front()));
    step.safety = std::max(step.safety, candidates.front().safety);
  }
  if (step.edits.empty()) return {};
  return {step};
}

// "gpu" in device_map="gpu" if torch.cuda.is_available() else "cpu": the rest of the expression stays.
bool is_part_of_condition(const Stage& stage, TextRange expression, TextRange literal) {
  const bool inside = literal.begin >= expression.begin && literal.end <= expression.end && literal != expression;
  return inside && stage.source(expression).find(" if ") != std::string::npos;
}

// The name is also given to .to(…), torch.device(…) or device=…: there the same text is as wrong.
bool is_device_elsewhere(const Stage& stage, const std::string& name) {
  const std::vector<Call> calls = stage.script.calls();
  return std::any_of(calls.begin(), calls.end(), [&](const Call& call) {
    return std::any_of(call.arguments.begin(), call.arguments.end(), [&](const Argument& argument) {
      const bool takes_device = argument.name == "device" || call.method == "to" || call.method == "device";
      return takes_device && stage.source(argument.value) == name;
    });
  });
}

bool is_strategy_name(const std::string& value) {
  return std::any_of(strategy_names.begin(), strategy_names.end(),
                     [&](std::string_view name) { return value == in_quotes(std::string(name)); });
}

// accelerate's own functions take no device as a string: "cuda" becomes {"": 0} there, and dispatch_model takes no
// strategy either.
std::vector<Candidate> for_loader(const Stage& stage, std::vector<Candidate> candidates) {
  const bool dispatch = stage.load.loader == Loader::dispatch;
  if (!dispatch && stage.load.loader != Loader::checkpoint) return candidates;
  std::vector<Candidate> taken;
  for (Candidate& candidate : candidates) {
    if (is_strategy_name(candidate.value)) {
      if (!dispatch) taken.push_back(candidate);
      continue;
    }
    std::string name;
    const std::optional<int> number = split_number(plain(candidate.value), name);
    const std::string device = name == "cuda" ? std::to_string(number.value_or(0)) : candidate.value;
    candidate.value = "{\"\": " + device + "}";
    candidate.reason += "; this function takes a device only in a dict";
    taken.push_back(std::move(candidate));
  }
  return taken;
}

// Where the value is written best: in its branch of a conditional expression, at the assignment of a name that stands
// for a device elsewhere too, else at the parameter. Empty: none of these would leave the script working.
std::vector<Edit> edits_for(const Stage& stage, const Parameter& parameter, const std::string& value) {
  const auto assigned = stage.script.assignment_of(parameter.expression);
  const TextRange place = assigned ? assigned->value : parameter.expression;
  const TextRange literal = parameter.value.range;
  if (is_part_of_condition(stage, place, literal) && (!assigned || assigned->uses == 1)) return {{literal, value}};
  const std::string name = stage.source(parameter.expression);
  if (!is_device_elsewhere(stage, name)) return write_parameter(stage, "device_map", value);
  if (is_strategy_name(value) || !assigned) return {};
  return {{is_part_of_condition(stage, place, literal) ? literal : place, value}};
}

}  // namespace

std::vector<Step> correct_device_string(const Stage& stage, const kb::Recipe&) {
  const Parameter* parameter = stage.load.find("device_map");
  if (parameter == nullptr) return {};
  const Value& value = parameter->value;
  if (value.kind == Value::Kind::dict) return correct_entries(stage, value);
  std::vector<Candidate> candidates;
  if (const auto text = device_text(value); text && text_is_wrong(stage, *text, false)) {
    candidates = for_loader(stage, for_text(stage, *text, false));
  } else if (value.kind == Value::Kind::integer) {
    candidates = for_integer(stage, value.integer, false);
  }
  std::vector<Step> steps;
  for (const Candidate& candidate : candidates) {
    Step step;
    step.edits = edits_for(stage, *parameter, candidate.value);
    if (step.edits.empty()) continue;
    step.changes = {change_of("device_map", written_value(stage, "device_map"), candidate)};
    step.safety = candidate.safety;
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace whyfail::fixer
