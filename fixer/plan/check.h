// Ahead of time: what a loading call will run into, told from the script and the machine alone. Only what is certain is
// said; a value, size or condition that the text does not tell gives no prediction.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fixer/plan/fix.h"
#include "fixer/plan/search.h"

namespace whyfail::fixer {

struct CheckFacts {
  const kb::KnowledgeBase* kb = nullptr;
  const probes::Machine* machine = nullptr;
  ReleasePair releases;
  std::string model_override;
  std::filesystem::path working_folder;  // empty: no file is touched
  PlanOptions options;
};

struct Prediction {
  LibraryError error;  // as the library would say it; figures that only the run would know are left out
  std::string
      detail;  // the figures that make it certain: "the weights take 25.1 GiB, GPU 0 has 22.9 GiB"; may be empty
  std::string failure;  // the entry of the knowledge base, where the library's text alone does not tell it; else empty
  TextRange where;      // the call that raises it: the loading call, or the one that moves the model
};

// Calls of a script that load a model with transformers, or dispatch one with accelerate, in the order of the text.
std::vector<Call> calls_to_check(const Script& script);

// The first failure that `loading` and the moves after it run into under one pair of releases.
std::optional<Prediction> predict_failure(const Script& script, const Call& loading, const CheckFacts& facts);

}  // namespace whyfail::fixer
