// Any bytes as a script: reading, values and edits must end, stay inside the text, and leave a text that can be read
// again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fixer/call/arguments.h"
#include "fixer/call/changes.h"
#include "fixer/call/loading_calls.h"
#include "fixer/call/python.h"

namespace {

using namespace whyfail::fixer;

void require(bool holds) {
  if (!holds) std::abort();
}

void require_inside(TextRange range, const std::string& text) {
  require(range.begin <= range.end && range.end <= text.size());
}

void check_edits(const Script& script, const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) require_inside(edit.range, script.text());
  if (!edits.empty()) Script::read(apply_edits(script.text(), edits));
}

void check_call(const Script& script, const Call& call) {
  require_inside(call.range, script.text());
  require_inside(call.arguments_range, call.range.end <= script.text().size() ? script.text() : std::string());
  for (const Argument& argument : call.arguments) {
    require_inside(argument.value, script.text());
    script.value_of(argument.value);
    script.assignment_of(argument.value);
    call_behind(script, argument.value);
    check_edits(script, set_entry(script, argument.value, "\"cpu\"", "\"30GiB\""));
    check_edits(script, remove_entry(script, argument.value, "0"));
    if (argument.kind != Argument::Kind::keyword) continue;
    check_edits(script, remove_argument(script, call, argument.name));
    check_edits(script, rename_argument(script, call, argument.name, "dtype"));
  }
  written_arguments(script, call);
  loading_call_behind(script, call);
  script.qualified_callee(call);
  check_edits(script, set_argument(script, call, "device_map", "\"auto\""));
  check_edits(script, remove_method_call(script, call));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Script script = Script::read(std::string(reinterpret_cast<const char*>(data), size));
  std::size_t checked = 0;
  for (const Call& call : script.calls()) {
    if (++checked > 3) break;
    check_call(script, call);
  }
  const std::size_t middle = size / 2;
  require_inside(script.statement_at(middle), script.text());
  check_edits(script, insert_before_statement(script, middle, {"import torch", ""}));
  check_edits(script, remove_statement(script, middle));
  check_edits(script, ensure_import(script, "transformers", "BitsAndBytesConfig", middle));
  const std::string changed = apply_edits(script.text(), remove_statement(script, middle));
  require(apply_edits(script.text(), edits_between(script.text(), changed)) == changed);
  return 0;
}
