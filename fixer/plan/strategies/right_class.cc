// The Auto class that knows the checkpoint's configuration, in place of one that does not.
#include <algorithm>
#include <array>
#include <cctype>

#include "fixer/model/class_facts.h"
#include "fixer/plan/strategy.h"

namespace whyfail::fixer {
namespace {

// Classes with a head that generates first, then the others. AutoModelForVision2Seq was replaced by
// AutoModelForImageTextToText in transformers 4.45 and taken out in 5.0 (models/auto/modeling_auto.py).
constexpr std::array<std::string_view, 8> preferred = {"AutoModelForImageTextToText",
                                                       "AutoModelForVision2Seq",
                                                       "AutoModelForSpeechSeq2Seq",
                                                       "AutoModelForSeq2SeqLM",
                                                       "AutoModelForCausalLM",
                                                       "AutoModelForMaskedLM",
                                                       "AutoModelForSequenceClassification",
                                                       "AutoModel"};

// "t5" of "transformers.models.t5.configuration_t5.T5Config"; empty: not one of the library's.
std::string model_type_of(const std::string& config_class) {
  constexpr std::string_view mark = "transformers.models.";
  const auto at = config_class.find(mark);
  if (at == std::string::npos) return {};
  const std::string rest = config_class.substr(at + mark.size());
  return rest.substr(0, rest.find('.'));
}

bool known_in_all(const std::string& architecture, std::string_view auto_class, const Situation& situation) {
  return !situation.transformers.empty() &&
         std::all_of(situation.transformers.begin(), situation.transformers.end(), [&](const kb::Release& release) {
           const auto classes = auto_classes(architecture, release);
           return std::find(classes.begin(), classes.end(), auto_class) != classes.end();
         });
}

std::string captured(const Situation& situation, const char* name) {
  if (situation.match == nullptr) return {};
  const auto at = situation.match->captures.find(name);
  return at == situation.match->captures.end() ? std::string() : at->second;
}

bool has_word(const std::string& text, std::string_view word) {
  const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !in_name(text[at - 1])) && (end == text.size() || !in_name(text[end]))) return true;
  }
  return false;
}

}  // namespace

std::vector<Step> right_class(const Stage& stage, const kb::Recipe&) {
  const Situation& situation = stage.situation;
  const std::string& wrong = stage.load.class_name;
  if (situation.kb == nullptr || wrong.empty() || captured(situation, "auto_class") != wrong) return {};
  const std::string type = model_type_of(captured(situation, "config_class"));
  const auto architecture = type.empty() ? std::nullopt : situation.kb->architecture(type);
  const auto name = stage.script.text().find(wrong, stage.call.range.begin);
  if (!architecture || name >= stage.call.range.end) return {};
  for (const std::string_view right : preferred) {
    if (right == wrong || !known_in_all(*architecture, right, situation)) continue;
    Step step;
    step.edits = {{{name, name + wrong.size()}, std::string(right)}};
    step.callee = stage.call.callee;
    step.callee.replace(step.callee.find(wrong), wrong.size(), right);
    const bool imported = has_word(stage.script.text(), right) || step.callee.starts_with("transformers.");
    if (!imported) step.before = {"from transformers import " + std::string(right)};
    step.safety = Safety::needs_review;
    step.changes = {{"class", wrong, std::string(right),
                     "this class knows " + type + " checkpoints; " + wrong + " does not", Safety::needs_review}};
    step.cost = "the model takes and returns what this class does: look at the code that uses it";
    return {step};
  }
  return {};
}

}  // namespace whyfail::fixer
