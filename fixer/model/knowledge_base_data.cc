// The knowledge base as find_model's source of data.
#include "fixer/model/model_data.h"

namespace whyfail::fixer {

std::variant<Model, NoModel> find_model(const ModelQuery& query, const kb::KnowledgeBase& kb) {
  const ModelData data{[&](std::string_view type, int era) { return kb.size_template(type, era); },
                       [&](std::string_view type) { return kb.architecture(type); },
                       [&](std::string_view id) { return kb.catalogue(id); }};
  return find_model(query, data);
}

}  // namespace whyfail::fixer
