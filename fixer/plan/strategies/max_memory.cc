// max_memory: wrong keys and sizes corrected in place; a missing "cpu" budget added; or all budgets computed anew from
// what is free.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "fixer/call/changes.h"
#include "fixer/call/syntax.h"
#include "fixer/call/values.h"
#include "fixer/plan/strategy.h"

namespace whyfail::fixer {
namespace {

std::string lower(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 64)) {
    if (c != ' ' && c != '_') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

// The key that is meant, as Python text; empty: not told.
std::string corrected_key(const std::string& written) {
  const std::string text = lower(written);
  if (text == "cpu" || text == "mps" || text == "disk") return '"' + text + '"';
  if (text == "ram" || text == "host" || text == "memory") return "\"cpu\"";
  const auto digit = text.find_first_of("0123456789");
  const std::string name = text.substr(0, digit);
  if (digit == std::string::npos) return text == "gpu" || text == "cuda" || text == "vram" ? "0" : "";
  if (text.find_first_not_of("0123456789", digit) != std::string::npos || text.size() - digit > 3) return "";
  for (const char* known : {"", "cuda", "cuda:", "gpu", "gpu:", "device", "device:", "xpu", "xpu:"}) {
    if (name == known) return std::to_string(std::atoi(text.c_str() + digit));
  }
  return "";
}

struct Size {
  double number = 0;
  std::string unit;   // upper case: "", "G", "GB", "GIB" …
  bool bits = false;  // a lower-case b behind K, M, G of tens
};

std::optional<Size> read_size(const std::string& written) {
  std::string text = written.substr(0, 64);
  std::replace(text.begin(), text.end(), ',', '.');
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == ' ' || c == '_'; }), text.end());
  Size size;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size.number);
  if (error != std::errc() || !std::isfinite(size.number) || size.number < 0 || size.number > 1e15) return std::nullopt;
  const std::string unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const char c : unit) size.unit += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  size.bits = unit.size() == 2 && unit[1] == 'b';
  return size;
}

// An integer with a unit that every release reads.
std::string whole(double number, const char* unit, const char* smaller, double step) {
  if (number == std::floor(number)) return std::to_string(static_cast<long long>(number)) + unit;
  return std::to_string(static_cast<long long>(std::floor(number * step))) + smaller;
}

struct Corrected {
  std::string text;  // without quotes
  std::string reason;
};

std::optional<Corrected> corrected_size(const std::string& written, const Rules& rules) {
  const auto size = read_size(written);
  const bool refused = std::holds_alternative<LibraryError>(budget_bytes(written, rules));
  if (!size || (!refused && !size->bits)) return std::nullopt;
  const std::string& unit = size->unit;
  const double number = size->number;
  if (size->bits && (unit == "GB" || unit == "MB" || unit == "KB")) {
    const std::string big = unit == "GB"   ? whole(number, "GB", "MB", 1000)
                            : unit == "MB" ? whole(number, "MB", "KB", 1000)
                                           : whole(number, "KB", "KB", 1);
    return Corrected{big, "the library reads a last lower-case b as bits: " + written + " is an eighth of " + big};
  }
  const std::string reason = "\"" + written + "\" is no size that the library reads";
  if (unit == "G" || unit == "GB" || unit == "GO") return Corrected{whole(number, "GB", "MB", 1000), reason};
  if (unit == "GI" || unit == "GIB") return Corrected{whole(number, "GiB", "MiB", 1024), reason};
  if (unit == "M" || unit == "MB" || unit == "MO") return Corrected{whole(number, "MB", "KB", 1000), reason};
  if (unit == "MI" || unit == "MIB") return Corrected{whole(number, "MiB", "KiB", 1024), reason};
  if (unit == "K" || unit == "KB" || unit == "KI" || unit == "KIB")
    return Corrected{whole(number, unit.size() > 1 && unit[1] == 'I' ? "KiB" : "KB", "KB", 1), reason};
  if (unit == "T" || unit == "TB") return Corrected{whole(std::round(number * 1e6) / 1e3, "GB", "MB", 1000), reason};
  if (unit == "TI" || unit == "TIB") return Corrected{whole(number * 1024, "GiB", "MiB", 1024), reason};
  if (unit.empty() || unit == "GIGABYTES" || unit == "GIGS")
    return Corrected{whole(number, "GiB", "MiB", 1024), reason + ": the unit is missing"};
  return std::nullopt;
}

bool is_strategy(const LoadCall& load) {
  const DeviceMapArgument& map = load.device_map;
  return map.kind == DeviceMapArgument::Kind::text &&
         (map.text == "auto" || map.text == "balanced" || map.text == "balanced_low_0" || map.text == "sequential");
}

// pipeline() takes the loader's arguments through model_kwargs only.
std::vector<Edit> write_loader_argument(const Stage& stage, const std::string& name, const std::string& value) {
  if (stage.load.loader != Loader::pipeline || stage.load.find(name) != nullptr)
    return write_parameter(stage, name, value);
  const Parameter* kwargs = stage.load.find("model_kwargs");
  const std::string key = '"' + name + '"';
  if (kwargs == nullptr) return write_parameter(stage, "model_kwargs", "{" + key + ": " + value + "}");
  return set_entry(stage.script, kwargs->expression, key, value);
}

// An entry as it should be; both empty where nothing is wrong.
struct CorrectedEntry {
  std::string key;  // as Python text
  std::optional<Corrected> size;
};

CorrectedEntry corrected_entry(const std::pair<Value, Value>& entry, const Rules& rules) {
  CorrectedEntry corrected;
  if (entry.first.kind == Value::Kind::text) {
    const std::string meant = corrected_key(entry.first.text);
    if (meant != '"' + entry.first.text + '"') corrected.key = meant;
  }
  if (entry.second.kind == Value::Kind::text) corrected.size = corrected_size(entry.second.text, rules);
  return corrected;
}

constexpr const char* which_keys = "keys are GPU numbers, \"cpu\", \"disk\" or \"mps\"";

Change size_change(const std::string& before, const Corrected& size) {
  return {"max_memory", before, '"' + size.text + '"', size.reason, Safety::same_results};
}

// In place, entry by entry; false: an entry has no place of its own (dict(gpu="20GiB")).
bool correct_in_place(const Stage& stage, const Value& dict, const Rules& rules, Step& step) {
  for (const auto& entry : dict.pairs) {
    const CorrectedEntry corrected = corrected_entry(entry, rules);
    const TextRange key = entry.first.range;
    const TextRange value = entry.second.range;
    if (!corrected.key.empty()) {
      if (key.end <= key.begin) return false;
      step.edits.push_back({key, corrected.key});
      step.changes.push_back({"max_memory", stage.source(key), corrected.key, which_keys, Safety::same_results});
    }
    if (!corrected.size) continue;
    if (value.end <= value.begin) return false;
    step.edits.push_back({value, in_quotes_like(stage.source(value), corrected.size->text)});
    step.changes.push_back(size_change(stage.source(value), *corrected.size));
  }
  return true;
}

std::string as_written(const Stage& stage, const Value& value) {
  if (value.kind == Value::Kind::text) return '"' + value.text + '"';
  if (value.kind == Value::Kind::integer) return std::to_string(value.integer);
  return stage.source(value.range);
}

// The whole dict anew, where each of its entries is told.
std::string whole_dict(const Stage& stage, const Value& dict, const Rules& rules) {
  std::string text;
  for (const auto& entry : dict.pairs) {
    const CorrectedEntry corrected = corrected_entry(entry, rules);
    const std::string key = corrected.key.empty() ? as_written(stage, entry.first) : corrected.key;
    const std::string value = corrected.size ? '"' + corrected.size->text + '"' : as_written(stage, entry.second);
    if (key.empty() || value.empty()) return {};
    text += (text.empty() ? "" : ", ") + key + ": " + value;
  }
  return '{' + text + '}';
}

// Sizes in an expression that has no value, such as dict([(0, "20G"), ("cpu", "30G")]).
Step correct_literals(const Stage& stage, const Parameter& parameter, const Rules& rules) {
  Step step;
  const auto assigned = stage.script.assignment_of(parameter.expression);
  const Script::Parts& parts = stage.script.parts();
  const TokenRange tokens = parts.token_range(assigned ? assigned->value : parameter.expression);
  for (std::size_t index = tokens.first; index < tokens.last; ++index) {
    std::string text;
    if (parts.token(index).kind != TokenKind::string || !decode_string(parts.word(index), text)) continue;
    const auto corrected = corrected_size(text, rules);
    if (!corrected) continue;
    const TextRange place = parts.bytes({index, index + 1});
    step.edits.push_back({place, in_quotes_like(stage.source(place), corrected->text)});
    step.changes.push_back(size_change(stage.source(place), *corrected));
  }
  return step;
}

std::string host_budget(const std::vector<Capacity>& all) {
  for (const Capacity& capacity : all) {
    if (capacity.device == Device(std::string("cpu"))) return size_text(capacity.weights_bytes);
  }
  return "";
}

bool has_key(const Value& dict, const char* name) {
  return std::any_of(dict.pairs.begin(), dict.pairs.end(), [&](const auto& entry) { return entry.first.text == name; });
}

}  // namespace

std::vector<Step> correct_max_memory(const Stage& stage, const kb::Recipe&) {
  const Parameter* parameter = stage.load.find("max_memory");
  if (parameter == nullptr) return {};
  const Rules rules = rules_for(stage.transformers, stage.accelerate);
  Step step;
  const bool told = parameter->value.kind == Value::Kind::dict &&
                    std::none_of(parameter->value.pairs.begin(), parameter->value.pairs.end(),
                                 [](const auto& entry) { return entry.first.kind == Value::Kind::unknown; });
  if (!told) {
    step = correct_literals(stage, *parameter, rules);
  } else if (!correct_in_place(stage, parameter->value, rules, step)) {
    step = {};
    const std::string value = whole_dict(stage, parameter->value, rules);
    if (value.empty()) return {};
    step.edits = write_parameter(stage, "max_memory", value);
    step.changes = {{"max_memory", written_value(stage, "max_memory"), value, which_keys, Safety::same_results}};
  }
  if (step.edits.empty()) return {};
  return {step};
}

std::vector<Step> recompute_max_memory(const Stage& stage, const kb::Recipe&) {
  if (stage.machine == nullptr || stage.model == nullptr || !is_strategy(stage.load)) return {};
  const std::vector<Capacity> all =
      capacities(*stage.machine, stage.model, stage.situation.options, stage.transformers);
  if (all.empty()) return {};
  std::vector<Step> steps;
  const Parameter* parameter = stage.load.find("max_memory");
  const std::string host = host_budget(all);
  if (parameter != nullptr && parameter->value.kind == Value::Kind::dict && !has_key(parameter->value, "cpu") &&
      !host.empty()) {
    Step step;
    step.edits = set_entry(stage.script, parameter->expression, "\"cpu\"", '"' + host + '"');
    step.changes = {{"max_memory", "", "\"cpu\": \"" + host + '"',
                     "without a \"cpu\" budget whatever does not fit a GPU goes to the disk", Safety::same_results}};
    if (!step.edits.empty()) steps.push_back(std::move(step));
  }
  const std::string value = max_memory_text(all);
  Step step;
  step.edits = write_loader_argument(stage, "max_memory", value);
  step.changes = {{"max_memory", written_value(stage, "max_memory"), value,
                   "what is free, less the context, the cache and the logits", Safety::same_results}};
  if (!step.edits.empty()) steps.push_back(std::move(step));
  return steps;
}

std::vector<Step> offload_folder(const Stage& stage, const kb::Recipe&) {
  const bool dispatch = stage.load.loader == Loader::dispatch;
  const std::string argument = dispatch ? "offload_dir" : "offload_folder";
  std::string folder = "offload";
  std::error_code error;
  for (int i = 2; i < 10 && !stage.situation.working_folder.empty(); ++i) {
    const auto path = stage.situation.working_folder / folder;
    if (!std::filesystem::exists(path, error) || std::filesystem::is_directory(path, error)) break;
    folder = "offload" + std::to_string(i);
  }
  const std::string value = '"' + folder + '"';
  const std::string before = written_value(stage, argument);
  if (before == value) return {};
  Step step;
  step.edits = write_loader_argument(stage, argument, value);
  if (step.edits.empty()) return {};
  step.changes = {
      {argument, before, value,
       before.empty() ? "weights that go to the disk need a folder there" : "the folder given cannot be used",
       Safety::same_results}};
  return {step};
}

}  // namespace whyfail::fixer
