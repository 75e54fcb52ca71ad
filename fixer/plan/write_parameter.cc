// Edits on one parameter of a loading call, at the place that surprises least: where it is written, unless that is a
// name which other code uses too.
#include <algorithm>

#include "fixer/plan/strategy.h"

namespace whyfail::fixer {
namespace {

using Place = Parameter::Place;

bool stands_in_call(const Parameter& parameter) {
  return parameter.place == Place::argument || parameter.place == Place::positional;
}

// A comma and the blanks around it that go with an entry of a dict literal.
TextRange entry_with_comma(const std::string& text, TextRange entry) {
  std::size_t end = entry.end;
  while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
  if (end < text.size() && text[end] == ',') {
    ++end;
    while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
    if (end < text.size() && (text[end] == '\n' || text[end] == '\r')) {
      const std::size_t line = text.find_last_of('\n', entry.begin);
      const std::size_t start = line == std::string::npos ? 0 : line + 1;
      if (text.find_first_not_of(" \t", start) == entry.begin) {
        end += text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n' ? 2U : 1U;
        return {start, end};
      }
      return {entry.begin, end};
    }
    return {entry.begin, end};
  }
  std::size_t begin = entry.begin;
  while (begin > 0 &&
         (text[begin - 1] == ' ' || text[begin - 1] == '\t' || text[begin - 1] == '\n' || text[begin - 1] == '\r'))
    --begin;
  if (begin > 0 && text[begin - 1] == ',') return {begin - 1, entry.end};
  return entry;
}

}  // namespace

std::string Stage::source(const TextRange& range) const {
  const std::string& text = script.text();
  if (range.begin >= text.size() || range.end < range.begin) return "";
  return text.substr(range.begin, std::min(range.end, text.size()) - range.begin);
}

std::vector<Edit> write_parameter(const Stage& stage, std::string_view name, const std::string& value) {
  const Parameter* parameter = stage.load.find(name);
  if (parameter == nullptr) return set_argument(stage.script, stage.call, name, value);
  if (stands_in_call(*parameter)) {
    const auto assigned = stage.script.assignment_of(parameter->expression);
    if (assigned && assigned->uses == 1) return {{assigned->value, value}};
    return {{parameter->expression, value}};
  }
  if (parameter->expression.end <= parameter->expression.begin) return {};
  return {{parameter->expression, value}};
}

std::vector<Edit> drop_parameter(const Stage& stage, const Parameter& parameter) {
  if (parameter.place == Place::argument) return remove_argument(stage.script, stage.call, parameter.name);
  if (parameter.place == Place::positional) return {};
  return {{entry_with_comma(stage.script.text(), parameter.whole), ""}};
}

std::vector<Edit> rename_parameter(const Stage& stage, const Parameter& parameter, std::string_view name) {
  if (parameter.place == Place::argument) return rename_argument(stage.script, stage.call, parameter.name, name);
  if (parameter.place == Place::positional) return {};
  const std::string entry = stage.source(parameter.whole);
  const auto at = entry.find(parameter.name);
  if (at == std::string::npos) return {};
  const std::size_t begin = parameter.whole.begin + at;
  return {{{begin, begin + parameter.name.size()}, std::string(name)}};
}

std::string written_value(const Stage& stage, std::string_view name) {
  const Parameter* parameter = stage.load.find(name);
  return parameter == nullptr ? "" : stage.source(parameter->expression);
}

std::vector<Edit> add_dict_entry(const Stage& stage, const Value& dict, const std::string& key,
                                 const std::string& value) {
  const std::string entry = key + ": " + value;
  if (dict.pairs.empty()) return {{{dict.range.end - 1, dict.range.end - 1}, entry}};
  const TextRange last = {dict.pairs.back().first.range.begin, dict.pairs.back().second.range.end};
  if (last.end <= last.begin || last.end > dict.range.end) return {};
  // One entry a line stays one entry a line.
  const std::string& text = stage.script.text();
  const auto line = text.find_last_of('\n', last.begin);
  const std::size_t start = line == std::string::npos ? 0 : line + 1;
  std::string separator = ", ";
  if (start > dict.range.begin && text.find_first_not_of(" \t", start) == last.begin) {
    const std::string end = line > 0 && text[line - 1] == '\r' ? "\r\n" : "\n";
    separator = "," + end + text.substr(start, last.begin - start);
  }
  return {{{last.end, last.end}, separator + entry}};
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
