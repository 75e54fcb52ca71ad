// Finds every call expression with its callee and arguments in one pass over the tokens. A stack of what is open takes
// the place of recursion, so no depth of nesting is too deep.
#include <algorithm>
#include <array>

#include "fixer/call/syntax.h"

namespace whyfail::fixer {
namespace {

using Parts = Script::Parts;

constexpr std::array<std::string_view, 4> value_words = {"True", "False", "None", "..."};
constexpr std::array<std::string_view, 11> joining_words = {"and",  "or",  "in",    "is",   "not", "if",
                                                            "else", "for", "async", "from", "as"};
constexpr std::array<std::string_view, 7> leading_words = {"not", "lambda", "await", "yield", "for", "in", "from"};
constexpr std::array<std::string_view, 6> leading_signs = {"+", "-", "~", "*", "**", ":"};

template <std::size_t Size>
bool contains(const std::array<std::string_view, Size>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class CallReader {
 public:
  explicit CallReader(Parts& parts) : parts_(parts) {}

  void read() {
    mark_brackets_that_call_nothing();
    levels_.push_back({});
    const std::size_t count = parts_.tokens.all.size();
    for (std::size_t index = 0; index < count; ++index) read_token(index);
    while (levels_.size() > 1) leave(no_token, count);
    std::sort(parts_.calls.begin(), parts_.calls.end(), [](const CallNode& left, const CallNode& right) {
      return left.first != right.first ? left.first < right.first : left.open > right.open;
    });
  }

 private:
  // What is known between an opening sign and its partner.
  struct Level {
    std::size_t opener = no_token;
    std::size_t call = nowhere;    // the call whose arguments stand here
    std::size_t start = no_token;  // first token of the operand that just ended or goes on; no_token: none
    bool operand = false;          // the last token ended an operand
    bool after_dot = false;
    bool in_string = false;      // the last token ended a string: the next string belongs to it
    bool specification = false;  // fields that follow stand between text: in an f-string or a format specification
    std::size_t lambdas = 0;     // parameter lists of lambdas that are open
    bool well_formed = true;
  };

  Level& level() { return levels_.back(); }

  void read_token(std::size_t index) {
    const Token& token = parts_.token(index);
    switch (token.kind) {
      case TokenKind::comment:
        return;
      case TokenKind::fstring_text:
        level().specification = true;
        return;
      case TokenKind::newline:
        while (levels_.size() > 1) leave(no_token, index);
        level() = {};
        return;
      case TokenKind::error:
        for (std::size_t depth = levels_.size(); depth > 0 && levels_[depth - 1].well_formed; --depth) {
          levels_[depth - 1].well_formed = false;
        }
        return;
      case TokenKind::name:
        return read_name(index);
      case TokenKind::number:
      case TokenKind::string:
        return begin_operand(index, token.kind == TokenKind::string);
      case TokenKind::fstring_begin:
        return enter(index, nowhere);
      case TokenKind::fstring_end:
        return leave(index, index + 1);
      case TokenKind::op:
        return read_operator(index);
    }
  }

  void read_name(std::size_t index) {
    const std::string_view word = parts_.word(index);
    if (level().after_dot && !is_keyword(word)) {            // "from . import (": the dot belongs to no attribute
      if (level().start == no_token) level().start = index;  // what stood before the dot can't be read
      level().after_dot = false;
      level().operand = true;
      return;
    }
    if (!is_keyword(word) || contains(value_words, word)) return begin_operand(index, false);
    const bool fits = level().operand ? contains(joining_words, word) : contains(leading_words, word);
    if (!fits) level().well_formed = false;
    if (word == "lambda") ++level().lambdas;
    end_operand();
  }

  void begin_operand(std::size_t index, bool string) {
    if (string && level().in_string) return;  // "a" "b" is one operand
    if (level().operand || level().after_dot) level().well_formed = false;
    level().start = index;
    level().operand = true;
    level().after_dot = false;
    level().in_string = string;
  }

  void end_operand() {
    level().start = no_token;
    level().operand = false;
    level().after_dot = false;
    level().in_string = false;
  }

  void read_operator(std::size_t index) {
    const std::string_view sign = parts_.word(index);
    if (sign == "(" || sign == "[" || sign == "{") {
      const bool call = sign == "(" && level().operand && !not_a_call_[index];
      return enter(index, call ? add_call(index) : nowhere);
    }
    if (sign == ")" || sign == "]" || sign == "}") return leave(index, index + 1);
    if (sign == "...") return begin_operand(index, false);
    if (sign == ".") {
      if (!level().operand) level().well_formed = false;
      level().after_dot = true;
      level().operand = false;
      level().in_string = false;
      return;
    }
    check_operator(index, sign);
    if (sign == ":" && level().lambdas > 0) --level().lambdas;
    end_operand();
  }

  // An operator that lacks its operand shows that part of the text is missing.
  void check_operator(std::size_t index, std::string_view sign) {
    if (level().after_dot) level().well_formed = false;
    if (level().operand || level().lambdas > 0 || contains(leading_signs, sign)) return;
    const bool slice_or_subscript = level().opener != no_token && parts_.is(level().opener, "[");
    if (slice_or_subscript && sign == "," && index > 0 && parts_.is(index - 1, ":")) return;
    level().well_formed = false;
  }

  std::size_t add_call(std::size_t open) {
    CallNode call;
    call.first = level().start;
    call.open = open;
    call.close = parts_.token(open).partner;
    call.statement = parts_.statement_of(open);
    parts_.calls.push_back(std::move(call));
    return parts_.calls.size() - 1;
  }

  void enter(std::size_t index, std::size_t call) {
    const bool string = parts_.token(index).kind == TokenKind::fstring_begin;
    const bool field = level().specification && parts_.is(index, "{");
    const bool trailer = parts_.is(index, "[") || (parts_.is(index, "(") && level().operand);
    if (!(string && level().in_string) && !(level().operand && trailer)) {
      if (level().operand && !field) level().well_formed = false;
      level().start = index;
    }
    level().after_dot = false;
    levels_.push_back({});
    level().opener = index;
    level().call = call;
    level().specification = string;
  }

  // Leaves the innermost level; `closer` is the token that does it, no_token where the text just ends at `end`.
  void leave(std::size_t closer, std::size_t end) {
    if (levels_.size() < 2) return;
    while (closer != no_token && levels_.size() > 2 && parts_.token(closer).partner != level().opener)
      leave(no_token, closer);
    const Level inner = level();
    bool well_formed = inner.well_formed && !inner.after_dot && closer != no_token && !ends_in_operator(inner, closer);
    if (inner.call != nowhere) {
      CallNode& call = parts_.calls[inner.call];
      read_arguments(call, closer == no_token ? end : closer);
      call.well_formed = call.well_formed && well_formed;
      well_formed = call.well_formed;
    }
    levels_.pop_back();
    level().well_formed = level().well_formed && well_formed;
    level().operand = true;
    level().in_string = closer != no_token && parts_.token(closer).kind == TokenKind::fstring_end;
  }

  // "f(a +)": the operand after the last sign is missing.
  bool ends_in_operator(const Level& inner, std::size_t closer) const {
    if (inner.operand || inner.specification) return false;
    std::size_t last = closer - 1;
    while (last > inner.opener && parts_.token(last).kind == TokenKind::comment) --last;
    if (last == inner.opener || parts_.is(last, ",") || parts_.is(last, ":") || parts_.is(last, "yield")) return false;
    return !parts_.is(last, "=") || !parts_.is(inner.opener, "{");  // "{name=}" in an f-string
  }

  void read_arguments(CallNode& call, std::size_t end) {
    const std::size_t depth = parts_.token(call.open).depth + 1;
    std::size_t first = call.open + 1;
    std::size_t lambdas = 0;
    bool loop_targets = false;  // between "for" and "in" of a generator
    for (std::size_t index = first; index < end; index = parts_.after(index, end)) {
      if (parts_.token(index).depth > depth) break;  // in a bracket that is never closed
      if (parts_.is(index, "lambda")) ++lambdas;
      if (parts_.is(index, ":") && lambdas > 0) --lambdas;
      if (parts_.is(index, "for")) loop_targets = true;
      if (parts_.is(index, "in")) loop_targets = false;
      if (lambdas > 0 || loop_targets || !parts_.is(index, ",")) continue;
      add_argument(call, {first, index}, index);
      first = index + 1;
    }
    add_argument(call, {first, end}, no_token);
  }

  void add_argument(CallNode& call, TokenRange tokens, std::size_t comma) {
    while (!tokens.empty() && parts_.token(tokens.first).kind == TokenKind::comment) ++tokens.first;
    while (!tokens.empty() && parts_.token(tokens.last - 1).kind == TokenKind::comment) --tokens.last;
    if (tokens.empty()) {
      if (comma != no_token) call.well_formed = false;  // f(, a)
      return;
    }
    ArgumentNode argument;
    argument.tokens = argument.value = tokens;
    argument.comma = comma;
    std::size_t next = tokens.first + 1;
    while (next < tokens.last && parts_.token(next).kind == TokenKind::comment) ++next;
    if (parts_.is(tokens.first, "*") || parts_.is(tokens.first, "**")) {
      argument.kind = parts_.is(tokens.first, "*") ? Argument::Kind::star : Argument::Kind::double_star;
      argument.value.first = next;
    } else if (parts_.token(tokens.first).kind == TokenKind::name && next < tokens.last && parts_.is(next, "=")) {
      argument.kind = Argument::Kind::keyword;
      argument.name = tokens.first;
      argument.value.first = next + 1;
      while (argument.value.first < tokens.last && parts_.token(argument.value.first).kind == TokenKind::comment) {
        ++argument.value.first;
      }
    } else if (!call.arguments.empty() && (call.arguments.back().kind == Argument::Kind::keyword ||
                                           call.arguments.back().kind == Argument::Kind::double_star)) {
      call.well_formed = false;  // a value without a name can't follow one with a name
    }
    if (argument.value.empty()) call.well_formed = false;
    call.arguments.push_back(argument);
  }

  // Parentheses after a name that is being defined, after "match", and those of patterns: "def f(…)", "case Point(…)".
  void mark_brackets_that_call_nothing() {
    not_a_call_.assign(parts_.tokens.all.size(), false);
    for (const Statement& statement : parts_.statements) {
      if (statement.kind != Statement::Kind::header) continue;
      if (statement.word == "def" || statement.word == "class") {
        mark_definition(statement);
      } else if (statement.word == "match") {
        not_a_call_[statement.tokens.first + 1] = true;
      } else if (statement.word == "case") {
        mark_pattern(statement);
      }
    }
  }

  void mark_definition(const Statement& statement) {
    const TokenRange& tokens = statement.tokens;
    for (std::size_t index = tokens.first; index < tokens.last; index = parts_.after(index, tokens.last)) {
      if (parts_.is(index, "(")) {
        not_a_call_[index] = true;
        return;
      }
      if (parts_.is(index, "->")) return;
    }
  }

  void mark_pattern(const Statement& statement) {
    for (std::size_t index = statement.tokens.first; index < statement.tokens.last; ++index) {
      if (parts_.is(index, "if") && parts_.token(index).depth == parts_.token(statement.tokens.first).depth) return;
      not_a_call_[index] = true;
    }
  }

  Parts& parts_;
  std::vector<bool> not_a_call_;
  std::vector<Level> levels_;
};

}  // namespace

void read_calls(Parts& parts) { CallReader(parts).read(); }

}  // namespace whyfail::fixer
