// Script: reads a text once and answers questions about it from what was read.
#include <algorithm>

#include "fixer/call/syntax.h"
#include "fixer/call/values.h"

namespace whyfail::fixer {

using Parts = Script::Parts;

std::string_view Parts::word(std::size_t index) const {
  if (index >= tokens.all.size()) return {};
  const Token& one = tokens.all[index];
  return std::string_view(text).substr(one.begin, one.end - one.begin);
}

bool Parts::is(std::size_t index, std::string_view sign) const {
  if (index >= tokens.all.size()) return false;
  const TokenKind kind = tokens.all[index].kind;
  return (kind == TokenKind::op || kind == TokenKind::name) && word(index) == sign;
}

TextRange Parts::bytes(TokenRange range) const {
  if (range.empty()) return {};
  return {token(range.first).begin, token(range.last - 1).end};
}

TokenRange Parts::token_range(TextRange range) const {
  const auto begins_before = [](const Token& one, std::size_t position) { return one.begin < position; };
  const auto& all = tokens.all;
  const auto first = std::lower_bound(all.begin(), all.end(), range.begin, begins_before);
  const auto last = std::lower_bound(first, all.end(), range.end, begins_before);
  TokenRange found{static_cast<std::size_t>(first - all.begin()), static_cast<std::size_t>(last - all.begin())};
  const auto is_blank = [&](std::size_t index) {
    return token(index).kind == TokenKind::comment || token(index).kind == TokenKind::newline;
  };
  while (!found.empty() && is_blank(found.first)) ++found.first;
  while (!found.empty() && is_blank(found.last - 1)) --found.last;
  return found;
}

std::size_t Parts::statement_of(std::size_t index) const {
  const auto next = std::upper_bound(statements.begin(), statements.end(), index,
                                     [](std::size_t token, const Statement& one) { return token < one.tokens.first; });
  return next == statements.begin() ? nowhere : static_cast<std::size_t>(next - statements.begin()) - 1;
}

int Parts::line_of(std::size_t position) const {
  const auto next = std::upper_bound(line_begins.begin(), line_begins.end(), position);
  return static_cast<int>(next - line_begins.begin());
}

std::size_t Parts::after(std::size_t index, std::size_t last) const {
  const std::size_t partner = token(index).partner;
  const std::size_t next = partner != no_token && partner > index ? partner + 1 : index + 1;
  return std::min(next, last);
}

std::string Parts::dotted(TokenRange range) const {
  constexpr std::size_t longest = 128;  // tokens; no dotted name that means something here comes near it
  if (range.last > range.first + longest) return {};
  std::string name;
  bool expects_name = true;
  for (std::size_t index = range.first; index < range.last; ++index) {
    const Token& one = token(index);
    if (one.kind == TokenKind::comment) continue;
    const bool fits = expects_name ? one.kind == TokenKind::name && !is_keyword(word(index)) : is(index, ".");
    if (!fits) return {};
    name += word(index);
    expects_name = !expects_name;
  }
  return expects_name ? std::string() : name;
}

namespace {

std::vector<std::size_t> begins_of_lines(std::string_view text) {
  std::vector<std::size_t> begins = {0};
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (text[index] == '\n' || (text[index] == '\r' && (index + 1 == text.size() || text[index + 1] != '\n'))) {
      begins.push_back(index + 1);
    }
  }
  return begins;
}

std::string scope_name(const Parts& parts, std::size_t scope) {
  std::string name;
  for (; scope != nowhere && scope != 0; scope = parts.scopes[scope].parent) {
    name = std::string(parts.scopes[scope].name) + (name.empty() ? "" : ".") + name;
  }
  return name;
}

Argument argument_from(const Parts& parts, const ArgumentNode& node) {
  Argument argument;
  argument.kind = node.kind;
  if (node.name != no_token) argument.name = parts.word(node.name);
  argument.range = parts.bytes(node.tokens);
  argument.value = parts.bytes(node.value);
  return argument;
}

Call call_from(const Parts& parts, const CallNode& node) {
  Call call;
  const TokenRange callee{node.first, node.open};
  call.callee = parts.dotted(callee);
  std::size_t last = node.open;
  while (last > node.first && parts.token(last - 1).kind == TokenKind::comment) --last;
  if (last > node.first && parts.token(last - 1).kind == TokenKind::name) {
    call.method = parts.word(last - 1);
    if (last - node.first > 2 && parts.is(last - 2, ".")) call.receiver = parts.bytes({node.first, last - 2});
  }
  const std::size_t begin = parts.token(node.first).begin;
  const std::size_t open_end = parts.token(node.open).end;
  std::size_t close_begin = open_end;
  std::size_t end = open_end;
  if (node.close != no_token) {
    close_begin = parts.token(node.close).begin;
    end = parts.token(node.close).end;
  } else if (!node.arguments.empty()) {
    close_begin = end = parts.bytes(node.arguments.back().tokens).end;
  }
  call.range = {begin, end};
  call.arguments_range = {open_end, close_begin};
  for (const ArgumentNode& argument : node.arguments) call.arguments.push_back(argument_from(parts, argument));
  call.line = parts.line_of(begin);
  call.complete = node.well_formed;
  if (node.statement != nowhere) call.scope = scope_name(parts, parts.statements[node.statement].scope);
  return call;
}

}  // namespace

const Argument* Call::argument(std::string_view name) const {
  for (const Argument& one : arguments) {
    if (one.kind == Argument::Kind::keyword && one.name == name) return &one;
  }
  return nullptr;
}

Script::Script(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Script::Script(Script&&) noexcept = default;
Script& Script::operator=(Script&&) noexcept = default;
Script::~Script() = default;

Script Script::read(std::string text) {
  auto parts = std::make_unique<Parts>();
  parts->text = std::move(text);
  parts->tokens = read_tokens(parts->text);
  parts->line_begins = begins_of_lines(parts->text);
  read_statements(*parts);
  read_calls(*parts);
  read_names(*parts);
  return Script(std::move(parts));
}

const std::string& Script::text() const { return parts_->text; }

std::vector<Call> Script::calls() const {
  std::vector<Call> found;
  found.reserve(parts_->calls.size());
  for (const CallNode& node : parts_->calls) found.push_back(call_from(*parts_, node));
  return found;
}

std::optional<Call> Script::call_at(TextRange range) const {
  const auto begins_before = [&](const CallNode& one, std::size_t position) {
    return parts_->token(one.first).begin < position;
  };
  const auto from = std::lower_bound(parts_->calls.begin(), parts_->calls.end(), range.begin, begins_before);
  for (auto at = from; at != parts_->calls.end(); ++at) {
    const CallNode& node = *at;
    if (parts_->token(node.first).begin > range.begin) break;
    if (node.close != no_token && parts_->token(node.close).end != range.end) continue;
    Call call = call_from(*parts_, node);
    if (call.range == range) return call;
  }
  return std::nullopt;
}

std::vector<Call> Script::calls_on_line(int line) const {
  std::vector<Call> found;
  for (const CallNode& node : parts_->calls) {
    if (node.statement == nowhere) continue;
    const Statement& statement = parts_->statements[node.statement];
    if (parts_->line_of(statement.range.begin) > line) break;
    if (parts_->line_of(statement.range.end) < line) continue;
    found.push_back(call_from(*parts_, node));
  }
  return found;
}

TextRange Script::statement_at(std::size_t position) const {
  const Statement* found = nullptr;
  for (const Statement& one : parts_->statements) {
    if (one.range.begin > position) break;
    found = &one;
  }
  return found == nullptr ? TextRange{} : found->range;
}

void Script::assume_gpus(int count) { parts_->gpus = count; }

Value Script::value_of(TextRange expression) const { return evaluate(*parts_, parts_->token_range(expression)); }

std::optional<Script::Assigned> Script::assignment_of(TextRange name_expression) const {
  const TokenRange tokens = parts_->token_range(name_expression);
  if (tokens.last - tokens.first != 1 || parts_->token(tokens.first).kind != TokenKind::name) return std::nullopt;
  const std::vector<Binding>* all = bindings_of(*parts_, tokens.first);
  const Binding* only = binding_reaching(*parts_, tokens.first);
  if (all == nullptr || all->size() != 1 || only == nullptr || only->kind != Binding::Kind::plain) return std::nullopt;
  Assigned assigned{parts_->bytes({only->token, only->token + 1}), parts_->bytes(only->value), 0};
  const std::string_view name = parts_->word(tokens.first);
  const std::size_t scope = scope_of_name(*parts_, name, parts_->statements[parts_->statement_of(tokens.first)].scope);
  const auto uses = parts_->uses.find(std::string(name));
  if (uses == parts_->uses.end()) return assigned;
  for (const Use& use : uses->second) assigned.uses += scope_of_name(*parts_, name, use.scope) == scope ? 1 : 0;
  return assigned;
}

std::string Script::qualified_callee(const Call& call) const {
  // A call that is seen through (seen_through.h) has its receiver elsewhere.
  const TextRange begins = call.receiver == TextRange{} ? call.range : call.receiver;
  const TokenRange tokens = parts_->token_range(begins);
  const bool plain_elsewhere = call.receiver == TextRange{} && !tokens.empty() &&
                               call.callee.find('.') == std::string::npos && parts_->word(tokens.first) != call.callee;
  if (!plain_elsewhere) return qualified_name(*parts_, tokens, call.callee);
  const std::size_t statement = parts_->statement_of(tokens.first);
  const std::size_t scope = scope_of_name(*parts_, call.callee, parts_->statements[statement].scope);
  const auto bound = parts_->bindings.find(binding_key(scope, call.callee));
  const bool imported = bound != parts_->bindings.end() && bound->second.size() == 1 &&
                        bound->second.front().kind == Binding::Kind::import;
  return imported ? bound->second.front().source : call.callee;
}

}  // namespace whyfail::fixer
