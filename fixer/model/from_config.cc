// config.json + size template + architecture → module tree; checked against the checkpoint's headers.
#include "fixer/model/from_config.h"

#include <algorithm>
#include <utility>

#include "fixer/model/cache_facts.h"
#include "fixer/model/class_facts.h"
#include "fixer/model/header_tree.h"
#include "fixer/model/load_dtype.h"
#include "fixer/model/quantized_model.h"
#include "fixer/model/size_template.h"
#include "fixer/placement/rules.h"

namespace whyfail::fixer {

namespace {

constexpr const char* how_to_help = "give a folder with config.json and the weights: --model FOLDER";

int small_number(std::optional<std::int64_t> number) {
  return number && *number > 0 && *number <= INT32_MAX ? static_cast<int>(*number) : 0;
}

// First of the fields that is a positive number, in the part that generates text or in the whole.
int first_number(const CompletedConfig& fields, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    for (const char* const part : {"text_config.", ""}) {
      if (const int number = small_number(fields.number(std::string(part) + name))) return number;
    }
  }
  return 0;
}

void add_shape(const CompletedConfig& fields, Model& model) {
  model.layers = first_number(fields, {"num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_layers"});
  model.hidden_size = first_number(fields, {"hidden_size", "n_embd", "d_model", "dim"});
  model.vocabulary = first_number(fields, {"vocab_size"});
  const int heads =
      first_number(fields, {"num_attention_heads", "n_head", "n_heads", "num_heads", "decoder_attention_heads"});
  model.key_value_heads = first_number(fields, {"num_key_value_heads", "num_kv_heads", "kv_n_heads"});
  if (model.key_value_heads == 0) model.key_value_heads = heads;
  model.head_dim = first_number(fields, {"head_dim", "d_kv"});
  if (model.head_dim == 0 && heads > 0) model.head_dim = model.hidden_size / heads;
}

std::optional<bool> tied_weights(const Config& config) {
  if (const auto tied = config.flag("tie_word_embeddings")) return tied;
  return config.flag("text_config.tie_word_embeddings");
}

// The template of the release's own era, else the newer one.
std::optional<SizeTemplate> template_for(const ModelData& data, const std::string& model_type,
                                         const kb::Release& release) {
  if (model_type.empty()) return std::nullopt;
  std::optional<std::string> text;
  const int era = rules_for(release, {}).tree_era;
  if (era != 5) text = data.size_template(model_type, era);
  if (!text) text = data.size_template(model_type, 5);
  if (!text) return std::nullopt;
  return SizeTemplate::parse(*text);
}

void apply_headers(Model& model, const Checkpoint& checkpoint, const KnownClass& known) {
  if (checkpoint.tensors.empty()) {
    if (!checkpoint.problem.empty()) model.note = checkpoint.problem;
    return;
  }
  if (!checkpoint.problem.empty()) model.note = checkpoint.problem;
  if (!model.quantization.empty()) return;  // packed weights have other shapes than the modules that hold them
  const Agreement agreement = reconcile(model.tree, checkpoint.tensors, known);
  if (agreement.matched == 0) {
    model.tree.root = tree_from_names(checkpoint.tensors, model.dtype);
    model.tree.ties.clear();
    model.exact = false;
    model.note =
        "no name of the checkpoint is one of " + model.facts.class_name + "; the tree is made from its headers";
  } else if (agreement.different > 0) {
    model.exact = false;
    model.note =
        "the checkpoint's size of " + agreement.example + " is not what config.json says; the checkpoint counts";
  }
}

void add_totals(Model& model) {
  const TreeTotals totals = totals_of(model.tree);
  model.parameters = totals.parameters;
  model.bytes = totals.bytes;
}

// Several tensors of the checkpoint become one (experts of transformers 5): the weights no longer lie in its files as
// they are used. A new name alone changes nothing.
bool joins_tensors(const KnownClass& known) {
  return std::any_of(known.conversions.begin(), known.conversions.end(), [](const NameConversion& conversion) {
    const auto counts = [](const std::vector<std::string>& names) {
      return std::any_of(names.begin(), names.end(),
                         [](const std::string& name) { return name.find('*') != std::string::npos; });
    };
    return conversion.from.size() > conversion.to.size() || (counts(conversion.from) && !counts(conversion.to));
  });
}

// Without a template (remote code, a type that is not known): names and sizes of the headers, or nothing.
std::variant<Model, NoModel> without_template(Model model, const Checkpoint* checkpoint, const std::string& why) {
  if (checkpoint && !checkpoint->tensors.empty()) {
    model.tree.root = tree_from_names(checkpoint->tensors, model.dtype);
    model.tree.ties.clear();
    model.exact = false;
    model.note = why + "; the tree is made from the checkpoint's headers";
    add_totals(model);
    return model;
  }
  if (checkpoint && checkpoint->weight_bytes > 0) {
    model.exact = false;
    model.bytes = checkpoint->weight_bytes;
    model.note = why + "; the size is that of the checkpoint's files";
    return model;
  }
  return NoModel{why, how_to_help};
}

}  // namespace

std::variant<Model, NoModel> model_from_config(const ModelQuery& query, const ModelData& data, std::string_view config,
                                               const Checkpoint* checkpoint, std::string_view origin) {
  auto parsed = Config::parse(config);
  if (auto* error = std::get_if<ConfigError>(&parsed)) {
    if (checkpoint && !checkpoint->tensors.empty()) return model_from_headers(query, *checkpoint);
    return NoModel{"config.json of '" + query.name + "' " + error->why, how_to_help};
  }
  const Config& fields = std::get<Config>(parsed);
  Model model;
  model.id = query.name;
  model.origin = origin;
  model.architecture = fields.text("model_type").value_or("");
  const QuantizationConfig quantization = quantization_config(fields);
  model.quantization = quantization.method;
  if (checkpoint && checkpoint->has_weights) model.safetensors = checkpoint->safetensors;
  const auto stored = checkpoint ? checkpoint_dtype(*checkpoint) : std::nullopt;
  model.dtype = load_dtype(query, config_dtype(fields), stored);
  model.stored_dtype = stored.value_or(config_dtype(fields).value_or(DType::float32));
  model.tree.ties_by_identity = !rules_for(query.transformers, {}).own_allocator;

  const auto size_template = template_for(data, model.architecture, query.transformers);
  const std::string architecture = data.architecture(model.architecture).value_or("{}");
  const KnownClass known = class_for({architecture, query.auto_class, fields.texts("architectures"),
                                      size_template ? size_template->main_class() : "", tied_weights(fields),
                                      model.dtype, query.transformers});
  model.facts = known.facts;
  model.last_token_logits = known.last_token_logits;
  model.converts_on_load = joins_tensors(known);
  if (!size_template) {
    return without_template(std::move(model), checkpoint,
                            model.architecture.empty()
                                ? "config.json names no model_type"
                                : "the sizes of model type '" + model.architecture +
                                      "' are not known for transformers " + query.transformers.text());
  }
  const CompletedConfig completed(fields, *size_template);
  add_shape(completed, model);
  model.cache = cache_facts(completed, *size_template, model.architecture);
  auto root = size_template->instantiate(completed, {known.facts.class_name, model.dtype, query.transformers});
  if (auto* error = std::get_if<TemplateError>(&root)) {
    return without_template(std::move(model), checkpoint, error->why);
  }
  model.tree.root = std::get<Module>(std::move(root));
  model.facts.class_name = model.tree.root.class_name;
  model.tree.ties = known.ties;
  model.note = size_template->not_compared(completed, model.facts.class_name);
  model.exact = known.in_data && model.note.empty();
  if (!size_template->holds_for(query.transformers)) {
    model.exact = false;
    model.note = "sizes of " + model.architecture + " as later releases have them; not checked for transformers " +
                 query.transformers.text();
  }
  if (checkpoint) apply_headers(model, *checkpoint, known);
  add_totals(model);
  hold_quantized(model, quantization, checkpoint, known, rules_for(query.transformers, {}));
  return model;
}

std::variant<Model, NoModel> model_from_headers(const ModelQuery& query, const Checkpoint& checkpoint) {
  Model model;
  model.id = query.name;
  model.origin = "checkpoint";
  model.safetensors = checkpoint.safetensors;
  const auto stored = checkpoint_dtype(checkpoint);
  model.dtype = load_dtype(query, std::nullopt, stored);
  model.stored_dtype = stored.value_or(DType::float32);
  std::string why = "there is no readable config.json";
  if (!checkpoint.problem.empty()) why = checkpoint.problem;
  return without_template(std::move(model), &checkpoint, why);
}

}  // namespace whyfail::fixer
