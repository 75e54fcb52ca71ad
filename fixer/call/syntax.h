// What reading a script yields: statements with their blocks, calls, scopes with the names bound in them. Everything
// refers to tokens by index, so a place in the text and a place in the structure are the same thing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fixer/call/python.h"
#include "fixer/call/tokens.h"

namespace whyfail::fixer {

inline constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

// Tokens [first, last).
struct TokenRange {
  std::size_t first = 0;
  std::size_t last = 0;
  bool empty() const { return first >= last; }
};

struct Statement {
  enum class Kind { simple, header, opaque } kind = Kind::simple;
  std::string_view word;         // first word, without async: "def", "if", "import", "return", "@"; or any name
  TokenRange tokens;             // header: up to and with its colon
  TextRange range;               // the same in bytes
  std::size_t parent = nowhere;  // header of the block it stands in
  std::size_t scope = 0;         // where its names are bound
  std::size_t body_scope = 0;    // header: the scope of its block
  std::size_t line_begin = 0;    // byte where its logical line starts, indentation included
  bool shares_line = false;      // other statements or its header stand on the same logical line
};

struct Scope {
  enum class Kind { module, function, class_body } kind = Kind::module;
  std::string_view name;
  std::size_t parent = nowhere;
  std::size_t header = nowhere;  // statement
};

struct ArgumentNode {
  Argument::Kind kind = Argument::Kind::positional;
  TokenRange tokens;
  TokenRange value;
  std::size_t name = no_token;
  std::size_t comma = no_token;  // the one after it
};

struct CallNode {
  std::size_t first = 0;  // first token of the callee
  std::size_t open = 0;
  std::size_t close = no_token;  // no_token: cut off
  std::size_t statement = nowhere;
  bool well_formed = true;  // no part is missing or unreadable
  std::vector<ArgumentNode> arguments;
};

struct Binding {
  // plain: name = value (also annotated, chained, walrus); the others give no value that the text tells.
  enum class Kind { plain, import, definition, parameter, other } kind = Kind::other;
  std::size_t token = 0;
  std::size_t statement = 0;
  TokenRange value;    // plain; parameter: its default
  std::string source;  // import: dotted name of what is bound
};

struct Use {
  std::size_t token = 0;
  std::size_t statement = 0;
  std::size_t scope = 0;
};

struct Script::Parts {
  std::string text;
  Tokens tokens;
  std::vector<std::size_t> line_begins;
  std::optional<int> gpus;            // see Script::assume_gpus
  std::vector<Statement> statements;  // in the order of the text
  std::vector<Scope> scopes;          // 0: the module
  std::vector<CallNode> calls;        // by first byte, outermost first
  // scope number and name, see binding_key()
  std::unordered_map<std::string, std::vector<Binding>> bindings;
  std::unordered_map<std::string, std::vector<Use>> uses;  // by name alone
  std::unordered_map<std::string, std::size_t> declared;   // binding_key() → scope that global or nonlocal means

  const Token& token(std::size_t index) const { return tokens.all[index]; }
  std::string_view word(std::size_t index) const;
  bool is(std::size_t index, std::string_view sign) const;  // a keyword, name or operator with this text
  TextRange bytes(TokenRange range) const;
  TokenRange token_range(TextRange range) const;  // the tokens that begin in it, comments at its ends left out
  std::size_t statement_of(std::size_t token) const;
  int line_of(std::size_t position) const;
  // The token after `index`, or after its partner where it opens something; `last` if there is none.
  std::size_t after(std::size_t index, std::size_t last) const;
  std::string dotted(TokenRange range) const;  // "a.b.c"; "" if it is anything else
};

// Each fills its part of `parts`, in this order.
void read_statements(Script::Parts& parts);
void read_calls(Script::Parts& parts);
void read_names(Script::Parts& parts);

// A name as bound in a scope.
std::string binding_key(std::size_t scope, std::string_view name);
// The scope in which a use of `name` finds its value; nowhere: a builtin or not bound in this text.
std::size_t scope_of_name(const Script::Parts& parts, std::string_view name, std::size_t scope);
// All bindings of the name at that token; nullptr: none.
const std::vector<Binding>* bindings_of(const Script::Parts& parts, std::size_t token);
// The one binding that reaches a use of the name; nullptr: none, or it can't be told.
const Binding* binding_reaching(const Script::Parts& parts, std::size_t token);
// True if `statement` stands in the block of `header` or in the same block as it, at any depth.
bool within(const Script::Parts& parts, std::size_t statement, std::size_t header);

}  // namespace whyfail::fixer
