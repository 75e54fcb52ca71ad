// Python text: tokens, logical lines and blocks, expressions, names. Whatever is not understood is an opaque statement
// and is left alone. Positions are bytes of the file as given (BOM, CRLF and tabs untouched).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whyfail::fixer {

struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const TextRange&) const = default;
};

// One argument of a call as written.
struct Argument {
  enum class Kind { positional, keyword, star, double_star } kind = Kind::positional;
  std::string name;  // keyword only
  TextRange range;   // with its name and "=", without the comma
  TextRange value;
};

struct Call {
  std::string callee;  // "AutoModelForCausalLM.from_pretrained", dotted names only; "" if it is another expression
  TextRange range;     // callee to closing parenthesis
  TextRange arguments_range;  // between the parentheses
  std::vector<Argument> arguments;
  int line = 0;          // 1-based, of the first byte
  bool complete = true;  // closed, and nothing in it that can't be read
  std::string method;    // last name of the callee: "from_pretrained", "to", "pipeline"; "" if it ends in none
  TextRange receiver;    // what stands before ".method": "model", "X.from_pretrained(...)"; empty if nothing does
  std::string scope;     // where it stands: "" the module, "load", "Loader.load"
  const Argument* argument(std::string_view name) const;  // keyword arguments written in the call; nullptr: none
};

// A value that can be told from the text alone: literals, dicts and lists of them, names assigned once in the scope,
// calls (BitsAndBytesConfig(...), torch.device("cpu"), dict(a=1)), attributes (torch.float16).
struct Value {
  enum class Kind { none, boolean, integer, floating, text, list, dict, call, attribute, unknown } kind = Kind::unknown;
  bool boolean = false;
  long long integer = 0;
  double floating = 0;
  // text: unescaped. attribute, call: dotted name without aliases and without the module of a "from … import", but
  // torch's names keep "torch." ("torch.float16", "BitsAndBytesConfig"). unknown: a name that is not bound in the text,
  // else "".
  std::string text;
  std::vector<Value> items;                    // list, call: positional
  std::vector<std::pair<Value, Value>> pairs;  // dict; a pair of two unknowns: it may hold more than can be told
  std::vector<std::pair<std::string, Value>> keywords;  // call
  TextRange range;                                      // where it is written (for a name: where its value is assigned)

  Value();  // these are not inline: a vector of pairs of Value needs the whole of Value
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();
};

// A file, notebook cell or paste excerpt, read once.
class Script {
 public:
  static Script read(std::string text);  // never fails: what can't be read is opaque
  Script(Script&&) noexcept;
  Script& operator=(Script&&) noexcept;
  ~Script();

  const std::string& text() const;
  std::vector<Call> calls() const;  // all calls, outermost first within a statement
  std::optional<Call> call_at(TextRange range) const;
  // Calls of the logical statement that covers a 1-based line.
  std::vector<Call> calls_on_line(int line) const;
  TextRange statement_at(std::size_t position) const;  // logical line(s) without the line end
  // What an expression evaluates to, as far as the text tells, following names assigned once before `position`.
  Value value_of(TextRange expression) const;
  // How many GPUs torch finds where the script runs; until it is told, torch.cuda.is_available() has no value.
  void assume_gpus(int count);
  // If the expression is a name that is assigned exactly once in this scope before it: where, and how often it is used.
  struct Assigned {
    TextRange target;
    TextRange value;
    int uses = 0;
  };
  std::optional<Assigned> assignment_of(TextRange name_expression) const;
  // The callee with import aliases resolved: "transformers.pipeline" after "from transformers import pipeline as p".
  std::string qualified_callee(const Call& call) const;

  struct Parts;  // syntax.h, for the files of this folder
  const Parts& parts() const { return *parts_; }

 private:
  explicit Script(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Replaces bytes [range) by `text`. Edits of one list do not overlap; apply_edits keeps every other byte.
struct Edit {
  TextRange range;
  std::string text;
  bool operator==(const Edit&) const = default;
};
std::string apply_edits(std::string_view original, std::vector<Edit> edits);

// Edits on a call, in the style of the call (one line or one argument a line, trailing comma, quotes). They find the
// argument where it is written: in the call, in a dict that it takes as ** (changed there if only this call uses the
// dict, else overridden at the call), and set it at the assignment of a name that only this call uses. `value` is
// Python text. Empty: declined, because a part of the call can't be read, the argument may hide in a * or ** that can't
// be told, the call stands inside an f-string, or (remove, rename) there is no such argument.
std::vector<Edit> set_argument(const Script& script, const Call& call, std::string_view name, std::string_view value);
std::vector<Edit> remove_argument(const Script& script, const Call& call, std::string_view name);
std::vector<Edit> rename_argument(const Script& script, const Call& call, std::string_view name, std::string_view to);

}  // namespace whyfail::fixer
