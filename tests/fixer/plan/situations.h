// Situations for the tests of the plan: a failure of the shipped knowledge base, a call as text, a machine in short
// form.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "fixer/plan/fix.h"
#include "kb/knowledge_base.h"
#include "probes/sources.h"

namespace whyfail::fixer {

inline const kb::KnowledgeBase& shipped() {
  static const kb::KnowledgeBase base = kb::KnowledgeBase::shipped();
  return base;
}

struct Asked {
  std::string failure;  // id
  std::string call;     // the call, or with `script` a whole file in which it is the only loading call
  std::string machine;  // short form
  std::string transformers;
  std::string accelerate;
  bool script = false;
};

// Keeps what a Situation points to.
struct Prepared {
  Asked asked;
  probes::Machine machine;
  FoundCall found;
  Situation situation;
};

inline std::unique_ptr<Prepared> prepare(const Asked& asked) {
  auto prepared = std::make_unique<Prepared>();
  prepared->asked = asked;
  auto machine = probes::machine_from(asked.machine);
  if (auto* good = std::get_if<probes::Machine>(&machine)) prepared->machine = std::move(*good);
  prepared->found.complete = true;
  if (asked.script) {
    Script script = Script::read(asked.call);
    for (const Call& call : script.calls()) {
      if (call.method != "from_pretrained" && call.method != "pipeline") continue;
      prepared->found.text = asked.call.substr(call.range.begin, call.range.end - call.range.begin);
      prepared->found.call = call;
      break;
    }
    prepared->found.script = std::move(script);
  } else {
    prepared->found.text = asked.call;
  }
  Situation& situation = prepared->situation;
  situation.kb = &shipped();
  situation.failure = shipped().failure(asked.failure);
  situation.call = &prepared->found;
  situation.machine = &prepared->machine;
  situation.transformers = {*kb::Release::parse(asked.transformers)};
  situation.accelerate = {*kb::Release::parse(asked.accelerate)};
  return prepared;
}

inline Fix fix_for(const Asked& asked) {
  const auto prepared = prepare(asked);
  EXPECT_TRUE(prepared->situation.failure) << asked.failure << " is not in the knowledge base";
  return find_fix(prepared->situation);
}

}  // namespace whyfail::fixer
