// What a release knows about the classes of a model type: which class an Auto class makes, what it must not split,
// keeps in float32, ties and leaves unquantized. Read from data/architectures.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fixer/placement/place.h"
#include "kb/release.h"

namespace whyfail::fixer {

// Names in the checkpoint that a release renames or joins while loading (transformers 5, conversion_mapping.py).
struct NameConversion {
  std::vector<std::string> from;  // regular expressions or parts of names as the library has them
  std::vector<std::string> to;
};

struct ClassRequest {
  std::string_view architecture;           // JSON text
  std::string auto_class;                  // as the call has it; empty: config.json's class, else AutoModelForCausalLM
  std::vector<std::string> architectures;  // config.json's
  std::string main_class;                  // of the type; made where neither the call nor the config tells the class
  std::optional<bool> tied;                // config.json's tie_word_embeddings; none: the type's default
  DType dtype = DType::float32;
  kb::Release transformers;
};

struct KnownClass {
  ClassFacts facts;
  std::vector<std::vector<std::string>> ties;
  std::string base_prefix;  // name of the bare model inside: "model"
  std::vector<NameConversion> conversions;
  // generate() makes logits of the last token only: encoder-decoder models always; others where the class takes
  // logits_to_keep or num_logits_to_keep (models/*/modeling_*.py; the data names the first of the compared releases
  // that does).
  bool last_token_logits = false;
  bool in_data = false;  // the class itself is in the data (else only its name is known)
};

// The class that the call makes. Lists hold what counts for the load dtype: names kept in float32 only where they
// apply (transformers 4.44.2 modeling_utils.py: float16 only; 4.51.3 adds a strict list for float16 and bfloat16).
KnownClass class_for(const ClassRequest& request);

// The Auto classes that can make a model of this type in the release. `architecture`: JSON text.
std::vector<std::string> auto_classes(std::string_view architecture, const kb::Release& transformers);

}  // namespace whyfail::fixer
