// From the name in a call to a model: folder, hub cache, catalogue, the figure in the name — in this order.
#include <utility>

#include "fixer/model/catalogue.h"
#include "fixer/model/from_config.h"
#include "fixer/model/hub_cache.h"
#include "fixer/model/load_dtype.h"
#include "fixer/model/model_data.h"
#include "fixer/model/quantized_model.h"
#include "fixer/placement/rules.h"

namespace whyfail::fixer {

namespace {

constexpr const char* how_to_help = "give a folder with config.json and the weights: --model FOLDER";

std::optional<std::variant<Model, NoModel>> from_folder(const ModelQuery& query, const ModelData& data,
                                                        const std::filesystem::path& folder) {
  const auto checkpoint = read_checkpoint(folder);
  if (!checkpoint) return std::nullopt;
  if (!checkpoint->config) {
    if (checkpoint->has_weights) return model_from_headers(query, *checkpoint);
    return NoModel{"'" + query.name + "': " + checkpoint->problem, how_to_help};
  }
  const bool headers = !checkpoint->tensors.empty();
  auto found = model_from_config(query, data, *checkpoint->config, &*checkpoint, headers ? "checkpoint" : "config");
  if (auto* model = std::get_if<Model>(&found)) model->largest_file_bytes = checkpoint->largest_file_bytes;
  return found;
}

std::variant<Model, NoModel> from_catalogue(const ModelQuery& query, const ModelData& data, const CatalogueHit& hit) {
  auto found = model_from_config(query, data, hit.config, nullptr, "catalogue");
  if (auto* model = std::get_if<Model>(&found)) {
    if (!hit.same_model) {
      model->exact = false;
      model->note = "taken for " + hit.id + " by its name";
    }
    if (model->quantization.empty() && !hit.quantization.empty()) {
      model->quantization = hit.quantization;
      hold_quantized(*model, quantization_by_name(hit.quantization, query.name), nullptr, {},
                     rules_for(query.transformers, {}));
    }
  }
  return found;
}

Model from_name(const ModelQuery& query, std::uint64_t parameters) {
  Model model;
  model.id = query.name;
  model.origin = "name";
  model.parameters = parameters;
  model.stored_dtype = DType::float16;
  model.dtype = load_dtype(query, DType::float16, std::nullopt);
  model.bytes = static_cast<std::uint64_t>(static_cast<double>(parameters) * accelerate_width(model.dtype));
  model.quantization = quantization_in_name(query.name);
  model.note = "estimated from the figure in the name";
  if (!model.quantization.empty()) {
    model.bytes = 0;
    model.note += "; quantized already (" + model.quantization + "), its size is not known here";
  }
  return model;
}

}  // namespace

std::variant<Model, NoModel> find_model(const ModelQuery& query, const ModelData& data) {
  if (query.name.empty()) return NoModel{"the call names no model", how_to_help};
  std::string seen;
  if (!query.working_folder.empty()) {
    if (const auto folder = local_folder(query.name, query.working_folder)) {
      if (auto found = from_folder(query, data, *folder)) return std::move(*found);
      seen = "folder '" + query.name + "' holds neither config.json nor weights";
    } else if (const auto snapshot = cached_snapshot(query.name, query.revision, query.cache_folders)) {
      if (auto found = from_folder(query, data, *snapshot)) return std::move(*found);
    }
  }
  if (const auto hit = look_up(query.name, data)) return from_catalogue(query, data, *hit);
  if (const auto parameters = parameters_in_name(query.name)) return from_name(query, *parameters);
  return NoModel{seen.empty() ? "no folder or known id '" + query.name + "'" : seen, how_to_help};
}

}  // namespace whyfail::fixer
