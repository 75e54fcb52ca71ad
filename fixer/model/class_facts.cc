// Picks, from lists of [first release, value], what holds in the release at hand.
#include "fixer/model/class_facts.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace whyfail::fixer {

namespace {

using Json = nlohmann::json;

// The last value whose release is not later than `release`; before the first one, the first.
const Json* value_at(const Json& history, const kb::Release& release) {
  if (!history.is_array()) return nullptr;
  const Json* value = nullptr;
  for (const Json& entry : history) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string()) continue;
    const auto since = kb::Release::parse(entry[0].get<std::string>());
    if (!since || (value && *since > release)) continue;
    value = &entry[1];
  }
  return value;
}

const Json* member(const Json& object, const std::string& name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

const Json* member_at(const Json& object, const std::string& name, const kb::Release& release) {
  const Json* history = member(object, name);
  return history ? value_at(*history, release) : nullptr;
}

std::vector<std::string> texts(const Json* list) {
  std::vector<std::string> result;
  if (!list || !list->is_array()) return result;
  for (const Json& item : *list) {
    if (item.is_string()) result.push_back(item.get<std::string>());
  }
  return result;
}

std::string class_name_for(const ClassRequest& request, const Json& architecture) {
  if (request.auto_class.empty() && !request.architectures.empty()) return request.architectures.front();
  std::string auto_class = request.auto_class.empty() ? "AutoModelForCausalLM" : request.auto_class;
  const bool automatic = auto_class.starts_with("Auto");
  if (!automatic && auto_class != "pipeline") return auto_class;
  if (const Json* classes = member(architecture, "auto")) {
    const Json* name = member_at(*classes, auto_class, request.transformers);
    if (name && name->is_string()) return name->get<std::string>();
  }
  return request.architectures.empty() ? request.main_class : request.architectures.front();
}

std::vector<std::string> kept_in_float32(const ClassRequest& request, const Json& facts) {
  std::vector<std::string> kept;
  if (request.dtype == DType::float16) kept = texts(member_at(facts, "keep_in_fp32", request.transformers));
  if (request.dtype == DType::float16 || request.dtype == DType::bfloat16) {
    for (std::string& name : texts(member_at(facts, "keep_in_fp32_strict", request.transformers))) {
      kept.push_back(std::move(name));
    }
  }
  return kept;
}

std::vector<NameConversion> conversions_of(const Json& architecture, const kb::Release& release) {
  std::vector<NameConversion> result;
  const Json* list = member_at(architecture, "conversion", release);
  if (!list || !list->is_array()) return result;
  for (const Json& item : *list) result.push_back({texts(member(item, "from")), texts(member(item, "to"))});
  return result;
}

bool makes_last_logits_only(const ClassRequest& request, const Json& architecture) {
  const auto classes = auto_classes(request.architecture, request.transformers);
  for (const char* decoder : {"AutoModelForSeq2SeqLM", "AutoModelForSpeechSeq2Seq"}) {
    if (std::find(classes.begin(), classes.end(), decoder) != classes.end()) return true;
  }
  const Json* since = member(architecture, "last_token_logits");
  const auto first = since && since->is_string() ? kb::Release::parse(since->get<std::string>()) : std::nullopt;
  return first && *first <= request.transformers;
}

}  // namespace

KnownClass class_for(const ClassRequest& request) {
  KnownClass known;
  const Json architecture = Json::parse(request.architecture, nullptr, false);
  known.facts.class_name = class_name_for(request, architecture);
  known.conversions = conversions_of(architecture, request.transformers);
  known.last_token_logits = makes_last_logits_only(request, architecture);
  if (const Json* prefix = member(architecture, "prefix"); prefix && prefix->is_string()) {
    known.base_prefix = prefix->get<std::string>();
  }
  const Json* classes = member(architecture, "classes");
  const Json* facts = classes ? member(*classes, known.facts.class_name) : nullptr;
  if (!facts) return known;
  known.in_data = true;
  if (const Json* no_split = member_at(*facts, "no_split", request.transformers); no_split && no_split->is_array()) {
    known.facts.no_split = texts(no_split);
  }
  known.facts.keep_in_fp32 = kept_in_float32(request, *facts);
  known.facts.never_quantized = texts(member_at(*facts, "keep_in_fp32", request.transformers));
  const Json* tied_by_default = member(architecture, "tied_by_default");
  const bool tied =
      request.tied.value_or(tied_by_default && tied_by_default->is_boolean() && tied_by_default->get<bool>());
  known.facts.not_quantized =
      texts(member_at(*facts, tied ? "not_quantized_when_tied" : "not_quantized", request.transformers));
  if (const Json* groups = member_at(*facts, tied ? "ties" : "ties_when_untied", request.transformers)) {
    for (const Json& group : *groups) known.ties.push_back(texts(&group));
  }
  return known;
}

std::vector<std::string> auto_classes(std::string_view architecture, const kb::Release& transformers) {
  std::vector<std::string> names;
  const Json parsed = Json::parse(architecture, nullptr, false);
  const Json* classes = member(parsed, "auto");
  if (!classes || !classes->is_object()) return names;
  for (const auto& [name, history] : classes->items()) {
    const Json* made = value_at(history, transformers);
    const auto since =
        made && history[0][0].is_string() ? kb::Release::parse(history[0][0].get<std::string>()) : std::nullopt;
    if (since && *since <= transformers && made->is_string()) names.push_back(name);
  }
  return names;
}

}  // namespace whyfail::fixer
