// Changes to a script other than single arguments. Every function returns edits on the text as given; empty means
// declined or (ensure_import) nothing to do.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fixer/call/python.h"

namespace whyfail::fixer {

// Lines before the statement at `position`, with its indentation and the file's line end; before its decorators if it
// has some. Declined where no line can stand: before elif, else, except, finally, case, or inside a one-line block.
std::vector<Edit> insert_before_statement(const Script& script, std::size_t position,
                                          const std::vector<std::string>& lines);

// Takes the statement at `position` out, its line with it if nothing else stands there; leaves "pass" where it was the
// only one of its block. Declined for headers and decorators.
std::vector<Edit> remove_statement(const Script& script, std::size_t position);

// Takes one call of a method out: X.from_pretrained(...).to("cuda") becomes X.from_pretrained(...). Where only a name
// is left ("model.to('cuda')", "model = model.to('cuda')") the whole statement goes. Declined if the call has no
// receiver.
std::vector<Edit> remove_method_call(const Script& script, const Call& method_call);

// Makes `name` of `module` available at `position`: adds it to a "from module import" line there is, or adds such a
// line after the imports. Empty also if it is imported already.
std::vector<Edit> ensure_import(const Script& script, std::string_view module, std::string_view name,
                                std::size_t position);

// Entries of a dict display or dict(...), given as the range of the expression or of a name assigned once to one. `key`
// and `value` are Python text: "\"cpu\"", "0". Declined if the expression is none of these or the key may hide in a **.
std::vector<Edit> set_entry(const Script& script, TextRange dict, std::string_view key, std::string_view value);
std::vector<Edit> remove_entry(const Script& script, TextRange dict, std::string_view key);
// Several entries that the dict does not hold yet, each a key and a value as Python text, behind those it has.
std::vector<Edit> add_entries(const Script& script, TextRange dict,
                              const std::vector<std::pair<std::string, std::string>>& entries);
std::vector<Edit> rename_entry(const Script& script, TextRange dict, std::string_view key, std::string_view to);

// The call that an expression is, or that the name it is was assigned once: the BitsAndBytesConfig(...) behind
// quantization_config=config. nullopt: it is neither.
std::optional<Call> call_behind(const Script& script, TextRange expression);

// Several changes of arguments at once, each on the text that the one before left. Empty if any of them was declined.
struct ArgumentChange {
  enum class Kind { set, remove, rename } kind = Kind::set;
  std::string name;
  std::string value;  // set: Python text; rename: the new name
};
std::vector<Edit> change_arguments(const Script& script, const Call& call, const std::vector<ArgumentChange>& changes);

// One edit a changed region that turns `original` into `changed`.
std::vector<Edit> edits_between(std::string_view original, std::string_view changed);

}  // namespace whyfail::fixer
