// Failures that a script will run into, told ahead of time. Nothing is printed and nothing masked here.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/knowledge.h"
#include "cli/options.h"
#include "fixer/plan/fix.h"
#include "fixer/plan/search.h"
#include "kb/knowledge_base.h"
#include "probes/machine.h"

namespace whyfail::cli {

struct Position {  // as editors count: from 1
  std::size_t line = 1;
  std::size_t column = 1;  // in characters (Unicode code points)
};
// A byte order mark at the beginning is no character.
Position position_of(const std::string& text, std::size_t byte);

struct Finding {
  std::string file;
  kb::Failure failure;
  std::string exception;  // "ValueError"
  std::string message;    // the library's words
  std::string detail;     // the figures; may be empty
  Position begin;         // of the call that fails
  Position end;
  std::string written;   // the loading call as it stands
  std::string releases;  // "transformers 4.44.2"
  fixer::Fix fix;
};

struct CheckContext {
  const Knowledge& knowledge;
  const probes::Machine& machine;
  const Options& options;
  std::vector<fixer::ReleasePair> releases;  // a failure is found if all of them have it
};

// The release that was given, is described or installed; several, spread over all that are known, if nothing tells it.
// Throws Failure for a release that can't be read.
std::vector<fixer::ReleasePair> releases_to_check(const Options& options, const probes::Machine& machine,
                                                  const kb::KnowledgeBase& kb);

// So that no file takes for ever: calls that are looked at, and findings that a correction is looked for.
inline constexpr std::size_t most_calls = 100;
inline constexpr std::size_t most_fixes = 20;

struct CheckedCalls {
  std::vector<Finding> findings;  // in the order of the text
  bool cut = false;               // there are more than most_calls
};
CheckedCalls findings_in(const std::string& file, const std::string& text, const CheckContext& context);

// The three forms of the answer, masked. Text: a few lines each; JSON: one object; SARIF 2.1.0.
std::string findings_text(const std::vector<Finding>& findings);
std::string findings_json(const std::vector<Finding>& findings, std::size_t files);
struct CheckedFile {
  std::string name;
  std::string text;
};
std::string findings_sarif(const std::vector<Finding>& findings, const std::vector<CheckedFile>& files);

}  // namespace whyfail::cli
