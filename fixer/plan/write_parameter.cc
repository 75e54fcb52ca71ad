// Edits on one parameter of a loading call, at the place that surprises least: where it is written, unless that is a
// name which other code uses too.
#include <algorithm>

#include "fixer/call/changes.h"
#include "fixer/call/syntax.h"
#include "fixer/plan/strategy.h"

namespace whyfail::fixer {
namespace {

using Place = Parameter::Place;

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

// **load_args becomes **{**load_args, "name": value} where the dict is told but can't be changed where it is written:
// other code uses it too, or an expression yields it.
std::vector<Edit> override_spread(const Stage& stage, std::string_view name, const std::string& value) {
  std::vector<Edit> edits;
  for (const Argument& argument : stage.call.arguments) {
    if (argument.kind != Argument::Kind::double_star) continue;
    const Value spread = stage.script.value_of(argument.value);
    const bool holds = spread.kind == Value::Kind::dict &&
                       std::any_of(spread.pairs.begin(), spread.pairs.end(), [&](const auto& entry) {
                         return entry.first.kind == Value::Kind::text && entry.first.text == name;
                       });
    if (!holds) continue;
    edits.push_back(
        {argument.value, "{**" + stage.source(argument.value) + ", " + in_quotes(name) + ": " + value + "}"});
  }
  return edits.size() == 1 ? edits : std::vector<Edit>{};
}

// The dict that pipeline takes as model_kwargs, as written in the call.
std::optional<TextRange> model_kwargs_of(const Stage& stage) {
  const Parameter* kwargs = stage.load.find("model_kwargs");
  if (kwargs == nullptr) return std::nullopt;
  return kwargs->expression;
}

}  // namespace

std::string Stage::source(const TextRange& range) const {
  const std::string& text = script.text();
  if (range.begin >= text.size() || range.end < range.begin) return "";
  return text.substr(range.begin, std::min(range.end, text.size()) - range.begin);
}

std::vector<Edit> write_parameter(const Stage& stage, std::string_view name, const std::string& value) {
  const Parameter* parameter = stage.load.find(name);
  if (parameter != nullptr && parameter->place == Place::model_kwargs) {
    const auto kwargs = model_kwargs_of(stage);
    return kwargs ? set_entry(stage.script, *kwargs, in_quotes(name), value) : std::vector<Edit>{};
  }
  std::vector<Edit> edits = set_argument(stage.script, stage.call, name, value);
  const bool spread = parameter != nullptr && parameter->place == Place::spread;
  return edits.empty() && spread ? override_spread(stage, name, value) : edits;
}

std::vector<Edit> drop_parameter(const Stage& stage, const Parameter& parameter) {
  if (parameter.place != Place::model_kwargs) return remove_argument(stage.script, stage.call, parameter.name);
  const auto kwargs = model_kwargs_of(stage);
  return kwargs ? remove_entry(stage.script, *kwargs, in_quotes(parameter.name)) : std::vector<Edit>{};
}

std::vector<Edit> rename_parameter(const Stage& stage, const Parameter& parameter, std::string_view name) {
  if (parameter.place != Place::model_kwargs) return rename_argument(stage.script, stage.call, parameter.name, name);
  const auto kwargs = model_kwargs_of(stage);
  return kwargs ? rename_entry(stage.script, *kwargs, in_quotes(parameter.name), in_quotes(name)) : std::vector<Edit>{};
}

std::string in_quotes_like(const std::string& written, const std::string& text) {
  const char quote = written.starts_with('\'') ? '\'' : '"';
  return quote + text + quote;
}

std::string written_value(const Stage& stage, std::string_view name) {
  const Parameter* parameter = stage.load.find(name);
  return parameter == nullptr ? "" : stage.source(parameter->expression);
}

bool works_on_gpu(const Stage& stage) {
  const std::string& text = stage.script.text();
  const std::string inside = stage.source(stage.call.range);
  const auto count = [](const std::string& where, const char* what) {
    std::size_t n = 0;
    for (std::size_t at = where.find(what); at != std::string::npos; at = where.find(what, at + 1)) ++n;
    return n;
  };
  for (const char* what : {"\"cuda", "'cuda", ".cuda("}) {
    if (count(text, what) > count(inside, what)) return true;
  }
  return false;
}

bool imports_torch(const Stage& stage) {
  const auto bound = stage.script.parts().bindings.find(binding_key(0, "torch"));
  return bound != stage.script.parts().bindings.end() &&
         std::any_of(bound->second.begin(), bound->second.end(), [](const Binding& binding) {
           return binding.kind == Binding::Kind::import && binding.source == "torch";
         });
}

std::string dtype_argument(const Stage& stage) {
  if (stage.load.find("torch_dtype") != nullptr) return "torch_dtype";
  if (stage.load.find("dtype") != nullptr) return "dtype";
  if (stage.situation.kb == nullptr) return "torch_dtype";
  const char* function = stage.load.loader == Loader::pipeline ? "pipeline" : "PreTrainedModel.from_pretrained";
  // The new name only where every release that fits knows it.
  for (const kb::Release& release : stage.situation.transformers) {
    if (!kb::has_argument(*stage.situation.kb, "transformers", function, "dtype", release).value_or(false))
      return "torch_dtype";
  }
  return "dtype";
}

}  // namespace whyfail::fixer
