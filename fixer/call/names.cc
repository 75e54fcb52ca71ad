// Which names a script binds, where, and where they are used. Names of comprehensions and lambdas count as bound in the
// scope around them: that may hide a value, never invent one.
#include <algorithm>
#include <array>

#include "fixer/call/syntax.h"

namespace whyfail::fixer {
namespace {

using Parts = Script::Parts;
using Kind = Binding::Kind;

constexpr std::array<std::string_view, 13> augmenting = {
    "+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**="};

class NameReader {
 public:
  explicit NameReader(Parts& parts) : parts_(parts), taken_(parts.tokens.all.size(), false) {}

  void read() {
    for (const CallNode& call : parts_.calls) {
      for (const ArgumentNode& argument : call.arguments) {
        if (argument.name != no_token) taken_[argument.name] = true;
      }
    }
    for (statement_ = 0; statement_ < parts_.statements.size(); ++statement_) read_declaration(statement());
    for (statement_ = 0; statement_ < parts_.statements.size(); ++statement_) read_statement(statement());
  }

 private:
  const Statement& statement() const { return parts_.statements[statement_]; }

  bool is_name(std::size_t index) const {
    return parts_.token(index).kind == TokenKind::name && !is_keyword(parts_.word(index));
  }

  bool is_attribute(std::size_t index) const { return index > 0 && parts_.is(index - 1, "."); }

  void bind(std::size_t token, Kind kind, std::size_t scope, TokenRange value = {}, std::string source = {}) {
    const std::string_view name = parts_.word(token);
    taken_[token] = true;
    const auto declared = parts_.declared.find(binding_key(scope, name));
    if (declared != parts_.declared.end()) scope = declared->second;
    parts_.bindings[binding_key(scope, name)].push_back({kind, token, statement_, value, std::move(source)});
  }

  void bind(std::size_t token, Kind kind, TokenRange value = {}) { bind(token, kind, statement().scope, value); }

  void read_declaration(const Statement& one) {
    if (one.kind != Statement::Kind::simple || (one.word != "global" && one.word != "nonlocal")) return;
    for (std::size_t index = one.tokens.first + 1; index < one.tokens.last; ++index) {
      if (!is_name(index)) continue;
      taken_[index] = true;
      std::size_t meant = 0;
      if (one.word == "nonlocal") {
        meant = parts_.scopes[one.scope].parent;
        while (meant != nowhere && parts_.scopes[meant].kind == Scope::Kind::class_body)
          meant = parts_.scopes[meant].parent;
        if (meant == nowhere) meant = 0;
      }
      parts_.declared[binding_key(one.scope, parts_.word(index))] = meant;
    }
  }

  void read_statement(const Statement& one) {
    if (one.kind == Statement::Kind::opaque) return read_opaque(one.tokens);
    if (one.kind == Statement::Kind::simple) {
      read_simple(one);
    } else {
      read_header(one);
    }
    read_inner_bindings(one.tokens);
    for (std::size_t index = one.tokens.first; index < one.tokens.last; ++index) {
      if (!is_name(index) || taken_[index] || is_attribute(index)) continue;
      parts_.uses[std::string(parts_.word(index))].push_back({index, statement_, one.scope});
    }
  }

  // What can't be read may bind any name that stands in it.
  void read_opaque(TokenRange tokens) {
    for (std::size_t index = tokens.first; index < tokens.last; ++index) {
      if (is_name(index) && !taken_[index] && !is_attribute(index)) bind(index, Kind::other);
    }
  }

  void read_simple(const Statement& one) {
    if (one.word == "import" || one.word == "from") return read_import(one.tokens);
    if (one.word == "global" || one.word == "nonlocal") return;
    if (one.word == "del") return bind_targets({one.tokens.first + 1, one.tokens.last});
    if (one.word == "type" && one.tokens.last - one.tokens.first > 2 && is_name(one.tokens.first + 1)) {
      return bind(one.tokens.first + 1, Kind::definition);
    }
    read_assignment(one.tokens);
  }

  void read_assignment(TokenRange tokens) {
    std::vector<std::size_t> equals;
    std::size_t annotation = no_token;
    std::size_t lambdas = 0;
    for (std::size_t index = tokens.first; index < tokens.last; index = parts_.after(index, tokens.last)) {
      if (parts_.is(index, "lambda")) ++lambdas;
      if (parts_.is(index, ":")) {
        if (lambdas > 0) {
          --lambdas;
        } else if (annotation == no_token) {
          annotation = index;
        }
      }
      if (lambdas > 0) continue;
      if (parts_.is(index, "=")) equals.push_back(index);
      if (std::find(augmenting.begin(), augmenting.end(), parts_.word(index)) != augmenting.end()) {
        return bind_targets({tokens.first, index});
      }
    }
    if (equals.empty()) return;
    const TokenRange value{equals.back() + 1, tokens.last};
    std::size_t first = tokens.first;
    for (const std::size_t equal : equals) {
      bind_assigned({first, annotation < equal ? annotation : equal}, value);
      first = equal + 1;
    }
  }

  void bind_assigned(TokenRange target, TokenRange value) {
    if (target.last - target.first == 1 && is_name(target.first)) return bind(target.first, Kind::plain, value);
    const std::vector<TokenRange> targets = items(target);
    const std::vector<TokenRange> values = items(value);
    const bool pairwise =
        targets.size() > 1 && targets.size() == values.size() &&
        std::all_of(targets.begin(), targets.end(),
                    [&](const TokenRange& one) { return one.last - one.first == 1 && is_name(one.first); }) &&
        std::none_of(values.begin(), values.end(), [&](const TokenRange& one) { return parts_.is(one.first, "*"); });
    if (!pairwise) return bind_targets(target);
    for (std::size_t index = 0; index < targets.size(); ++index) bind(targets[index].first, Kind::plain, values[index]);
  }

  // "a, b" → a and b; a trailing comma adds nothing.
  std::vector<TokenRange> items(TokenRange tokens) const {
    std::vector<TokenRange> found;
    std::size_t first = tokens.first;
    for (std::size_t index = tokens.first; index < tokens.last; index = parts_.after(index, tokens.last)) {
      if (parts_.is(index, "lambda")) return {};
      if (!parts_.is(index, ",")) continue;
      if (index > first) found.push_back({first, index});
      first = index + 1;
    }
    if (first < tokens.last) found.push_back({first, tokens.last});
    return found;
  }

  // Every name that these targets store into; "a.b" and "a[i]" store into an object, not into a name.
  void bind_targets(TokenRange tokens) {
    for (std::size_t index = tokens.first; index < tokens.last;) {
      const bool opens = parts_.is(index, "(") || parts_.is(index, "[");
      const bool trailer = opens && index > tokens.first &&
                           (is_name(index - 1) || parts_.is(index - 1, ")") || parts_.is(index - 1, "]"));
      if (is_name(index) && !taken_[index] && !is_attribute(index)) {
        const bool stores = index + 1 >= tokens.last ||
                            !(parts_.is(index + 1, ".") || parts_.is(index + 1, "[") || parts_.is(index + 1, "("));
        if (stores) bind(index, Kind::other);
      }
      index = trailer ? parts_.after(index, tokens.last) : index + 1;
    }
  }

  void read_import(TokenRange tokens) {
    for (std::size_t index = tokens.first; index < tokens.last; ++index) taken_[index] = true;
    std::size_t index = tokens.first + 1;
    std::string module;
    if (parts_.is(tokens.first, "from")) {
      for (; index < tokens.last && !parts_.is(index, "import"); ++index) module += parts_.word(index);
      module += ".";
      ++index;
    }
    while (index < tokens.last) {
      if (!is_name(index)) {
        ++index;
        continue;
      }
      const std::size_t first = index;
      std::string source = module;
      for (; index < tokens.last && (is_name(index) || parts_.is(index, ".")); ++index) source += parts_.word(index);
      std::size_t bound = first;
      if (index + 1 < tokens.last && parts_.is(index, "as")) {
        bound = index + 1;
        index += 2;
      } else if (module.empty()) {
        source = parts_.word(first);  // "import a.b" binds a
      }
      bind(bound, Kind::import, statement().scope, {}, source);
    }
  }

  void read_header(const Statement& one) {
    std::size_t word = one.tokens.first + (parts_.is(one.tokens.first, "async") ? 1 : 0);
    if (one.word == "def" || one.word == "class") {
      if (word + 1 < one.tokens.last && is_name(word + 1)) bind(word + 1, Kind::definition);
      for (std::size_t index = word + 2; index < one.tokens.last; index = parts_.after(index, one.tokens.last)) {
        if (!parts_.is(index, "(") || parts_.token(index).partner == no_token) continue;
        return read_parameters({index + 1, parts_.token(index).partner}, one.word == "def");
      }
    } else if (one.word == "for") {
      bind_loop_targets(word, one.tokens.last);
    } else if (one.word == "case") {
      bind_pattern(one.tokens);
    }
  }

  // Parameters of a def; of a class only the names before "=" are set aside.
  void read_parameters(TokenRange tokens, bool function) {
    for (const TokenRange& item : items_with_lambdas(tokens)) {
      std::size_t name = item.first;
      if (function && (parts_.is(name, "*") || parts_.is(name, "**"))) {
        if (name + 1 < item.last && is_name(name + 1)) bind(name + 1, Kind::other, statement().body_scope);
        continue;
      }
      if (!is_name(name)) continue;
      std::size_t equal = name;
      while (equal < item.last && !parts_.is(equal, "=")) equal = parts_.after(equal, item.last);
      if (function) {
        bind(name, Kind::parameter, statement().body_scope,
             equal < item.last ? TokenRange{equal + 1, item.last} : TokenRange{});
      } else if (equal == name + 1) {
        taken_[name] = true;
      }
    }
  }

  std::vector<TokenRange> items_with_lambdas(TokenRange tokens) const {
    std::vector<TokenRange> found;
    std::size_t first = tokens.first;
    std::size_t lambdas = 0;
    for (std::size_t index = tokens.first; index <= tokens.last;
         index = index < tokens.last ? parts_.after(index, tokens.last) : index + 1) {
      const bool end = index == tokens.last;
      if (!end && parts_.is(index, "lambda")) ++lambdas;
      if (!end && parts_.is(index, ":") && lambdas > 0) --lambdas;
      if (!end && (lambdas > 0 || !parts_.is(index, ","))) continue;
      while (first < index && parts_.token(first).kind == TokenKind::comment) ++first;
      if (first < index) found.push_back({first, index});
      first = index + 1;
    }
    return found;
  }

  // "for TARGETS in": binds what stands between.
  void bind_loop_targets(std::size_t word, std::size_t last) {
    for (std::size_t index = word + 1; index < last; index = parts_.after(index, last)) {
      if (parts_.is(index, "in")) return bind_targets({word + 1, index});
      if (parts_.token(index).depth < parts_.token(word).depth || is_keyword(parts_.word(index))) return;
    }
  }

  void bind_pattern(TokenRange tokens) {
    for (std::size_t index = tokens.first + 1; index < tokens.last && !parts_.is(index, "if"); ++index) {
      if (!is_name(index) || is_attribute(index)) continue;
      const bool dotted_or_class = parts_.is(index + 1, ".") || parts_.is(index + 1, "(");
      if (parts_.is(index + 1, "=")) {
        taken_[index] = true;
      } else if (!dotted_or_class) {
        bind(index, Kind::other);
      }
    }
  }

  // Bindings inside expressions: walrus, comprehensions, lambda parameters, "as".
  void read_inner_bindings(TokenRange tokens) {
    if (statement().word == "import" || statement().word == "from") return;
    for (std::size_t index = tokens.first; index < tokens.last; ++index) {
      if (parts_.is(index, "for") && parts_.token(index).depth > parts_.token(tokens.first).depth) {
        bind_loop_targets(index, tokens.last);
      } else if (parts_.is(index, ":=") && index > tokens.first && is_name(index - 1)) {
        bind(index - 1, Kind::plain, {index + 1, end_of_walrus(index, tokens.last)});
      } else if (parts_.is(index, "lambda")) {
        bind_lambda(index, tokens.last);
      } else if (parts_.is(index, "as") && index + 1 < tokens.last && statement().word != "case") {
        bind_targets({index + 1, end_of_walrus(index, tokens.last)});
      }
    }
  }

  // Up to the comma, colon or closing bracket that ends what starts after `index`.
  std::size_t end_of_walrus(std::size_t index, std::size_t last) const {
    const std::size_t depth = parts_.token(index).depth;
    std::size_t end = index + 1;
    for (; end < last; end = parts_.after(end, last)) {
      if (parts_.token(end).depth < depth || parts_.is(end, ",") || parts_.is(end, ":") || parts_.is(end, ")") ||
          parts_.is(end, "]") || parts_.is(end, "}") || parts_.is(end, ":=") || parts_.is(end, "for") ||
          parts_.is(end, "if")) {
        break;
      }
    }
    return end;
  }

  void bind_lambda(std::size_t word, std::size_t last) {
    bool expects_name = true;
    for (std::size_t index = word + 1; index < last && !parts_.is(index, ":"); index = parts_.after(index, last)) {
      if (expects_name && is_name(index)) {
        bind(index, Kind::other);
        expects_name = false;
      } else if (parts_.is(index, ",")) {
        expects_name = true;
      }
      if (parts_.token(index).depth < parts_.token(word).depth || parts_.is(index, "lambda")) return;
    }
  }

  Parts& parts_;
  std::vector<bool> taken_;  // by token: a name that is bound or only labels something
  std::size_t statement_ = 0;
};

// True if a loop repeats `use` together with `later` but not `reaching`: then `later` may reach `use` too.
bool loop_brings_back(const Parts& parts, std::size_t use, std::size_t later, std::size_t reaching) {
  for (std::size_t block = parts.statements[use].parent; block != nowhere; block = parts.statements[block].parent) {
    const std::string_view word = parts.statements[block].word;
    if ((word == "for" || word == "while") && within(parts, later, block) && !within(parts, reaching, block))
      return true;
  }
  return false;
}

}  // namespace

void read_names(Parts& parts) { NameReader(parts).read(); }

std::string binding_key(std::size_t scope, std::string_view name) {
  return std::to_string(scope) + ' ' + std::string(name);
}

std::size_t scope_of_name(const Parts& parts, std::string_view name, std::size_t scope) {
  bool first = true;
  for (; scope != nowhere; scope = parts.scopes[scope].parent, first = false) {
    const std::string key = binding_key(scope, name);
    const auto declared = parts.declared.find(key);
    if (declared != parts.declared.end()) return declared->second;
    const bool visible = first || parts.scopes[scope].kind != Scope::Kind::class_body;
    if (visible && parts.bindings.count(key) > 0) return scope;
  }
  return nowhere;
}

const std::vector<Binding>* bindings_of(const Parts& parts, std::size_t token) {
  const std::size_t statement = parts.statement_of(token);
  if (statement == nowhere) return nullptr;
  const std::string_view name = parts.word(token);
  const std::size_t scope = scope_of_name(parts, name, parts.statements[statement].scope);
  if (scope == nowhere) return nullptr;
  const auto found = parts.bindings.find(binding_key(scope, name));
  return found == parts.bindings.end() ? nullptr : &found->second;
}

const Binding* binding_reaching(const Parts& parts, std::size_t token) {
  const std::vector<Binding>* all = bindings_of(parts, token);
  if (all == nullptr) return nullptr;
  const std::size_t use = parts.statement_of(token);
  const std::size_t scope = scope_of_name(parts, parts.word(token), parts.statements[use].scope);
  const bool same_scope = scope == parts.statements[use].scope;
  const auto before = [&](const Binding& one) {
    return one.token < token && !(token >= one.value.first && token < one.value.last);
  };
  if (all->size() == 1) {
    const Binding& only = all->front();
    return !same_scope || only.kind == Kind::parameter || before(only) ? &only : nullptr;
  }
  if (!same_scope || all->size() > 64) return nullptr;
  const Binding* reaching = nullptr;
  for (const Binding& one : *all) {
    if (one.kind != Kind::parameter && parts.statements[one.statement].scope != scope) return nullptr;  // by "global"
    if (one.kind == Kind::parameter || before(one)) reaching = &one;
  }
  if (reaching == nullptr) return nullptr;
  const std::size_t block = parts.statements[reaching->statement].parent;
  if (reaching->kind != Kind::parameter && block != nowhere && !within(parts, use, block)) return nullptr;
  for (const Binding& one : *all) {
    if (one.token > token && loop_brings_back(parts, use, one.statement, reaching->statement)) return nullptr;
  }
  return reaching;
}

}  // namespace whyfail::fixer
