// The whole flow: a paste goes in, everything that the report says comes out. Nothing is printed and nothing masked
// here.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/facts.h"
#include "cli/knowledge.h"
#include "cli/options.h"
#include "fixer/call/failing_call.h"
#include "fixer/plan/fix.h"
#include "kb/knowledge_base.h"
#include "matchers/reading.h"

namespace whyfail::cli {

enum class Status { explained, similar, unknown };

struct ExplainedFailure {
  matchers::Match match;
  std::optional<kb::Failure> entry;  // always there unless a knowledge base is damaged
  std::string versions;              // "transformers 4.25.0 to 4.57.6"; empty: not known
};

struct Diagnosis {
  Status status = Status::unknown;
  matchers::Reading reading;
  std::vector<ExplainedFailure> failures;  // first = the cause
  std::vector<kb::Similar> similar;        // with status similar: entries that the text reminds of
  Facts facts;
  std::optional<fixer::FoundCall> call;
  std::string no_call;  // why there is none
  fixer::Fix fix;
};

// Reads source files that frames name; the caller decides which may be opened.
Diagnosis diagnose(matchers::ByteSource& paste, const Knowledge& knowledge, const Options& options,
                   const fixer::ReadSource& read_source);

// What fits the model that options.words names: facts and fix, no failures. plan_command.cc.
Diagnosis plan(const Options& options, const Knowledge& knowledge);

// The options that a search for a fix goes by. Throws Failure for a --reserve or --prefer that can't be read.
fixer::PlanOptions plan_options(const Options& options);

}  // namespace whyfail::cli
