// Puts a loading function in the place of what calls it or names it.
#include "fixer/call/seen_through.h"

#include <algorithm>
#include <array>

#include "fixer/call/loading_calls.h"
#include "fixer/call/syntax.h"

namespace whyfail::fixer {
namespace {

using Parts = Script::Parts;

// functools.partial(f, …), asyncio.to_thread(f, …), executor.submit(f, …): call their first argument with the others.
bool calls_its_argument(const Call& call) {
  static constexpr std::array<std::string_view, 3> names = {"partial", "to_thread", "submit"};
  return std::find(names.begin(), names.end(), call.method) != names.end();
}

// Makes `call` one of the function that the tokens name; false: they name no loading function.
bool put_function(const Parts& parts, TokenRange tokens, Call& call) {
  const std::string name = parts.dotted(tokens);
  Call meant = call;
  meant.callee = name;
  meant.method = name.substr(name.rfind('.') == std::string::npos ? 0 : name.rfind('.') + 1);
  if (name.empty() || !is_loading_call(meant)) return false;
  const bool method = tokens.last - tokens.first > 2;
  meant.receiver = method ? parts.bytes({tokens.first, tokens.last - 2}) : TextRange{};
  call = std::move(meant);
  return true;
}

Call from_argument(const Script& script, Call call) {
  if (call.arguments.empty() || call.arguments.front().kind != Argument::Kind::positional) return call;
  const Parts& parts = script.parts();
  if (put_function(parts, parts.token_range(call.arguments.front().value), call))
    call.arguments.erase(call.arguments.begin());
  return call;
}

bool is_double_star(const Argument& argument) { return argument.kind == Argument::Kind::double_star; }

// Names of the parameters of a def in their order, and the one that takes ** in `rest`.
std::vector<std::string_view> parameters_of(const Parts& parts, const Statement& header, std::string_view& rest) {
  std::vector<std::string_view> names;
  std::size_t open = header.tokens.first;
  while (open < header.tokens.last && !parts.is(open, "(")) ++open;
  if (open >= header.tokens.last || parts.token(open).partner == no_token) return names;
  bool expects_name = true;
  for (std::size_t index = open + 1; index < parts.token(open).partner;
       index = parts.after(index, parts.token(open).partner)) {
    if (parts.is(index, "**")) {
      rest = parts.word(index + 1);
      break;
    }
    if (parts.is(index, "*") || parts.is(index, "/")) return {};
    if (expects_name && parts.token(index).kind == TokenKind::name) names.push_back(parts.word(index));
    expects_name = parts.is(index, ",");
  }
  return names;
}

// The loading call in the body of a function that is given nothing by name but the function's own **.
std::optional<Call> call_with_rest(const Script& script, const Statement& header, std::string_view rest) {
  const Parts& parts = script.parts();
  const auto from = std::lower_bound(parts.calls.begin(), parts.calls.end(), header.tokens.last,
                                     [](const CallNode& call, std::size_t token) { return call.first < token; });
  for (auto node = from; node != parts.calls.end() && node->statement != nowhere; ++node) {
    const Statement& statement = parts.statements[node->statement];
    if (statement.range.begin <= header.range.begin || statement.scope != header.body_scope) break;
    if (node->close == no_token) continue;
    auto call = script.call_at(parts.bytes({node->first, node->close + 1}));
    if (!call || !is_loading_call(*call)) continue;
    const bool plain = std::none_of(call->arguments.begin(), call->arguments.end(), [](const Argument& argument) {
      return argument.kind == Argument::Kind::keyword || argument.kind == Argument::Kind::star;
    });
    const auto star = std::find_if(call->arguments.begin(), call->arguments.end(), is_double_star);
    const bool given = star != call->arguments.end() && star + 1 == call->arguments.end() &&
                       parts.dotted(parts.token_range(star->value)) == rest;
    if (plain && given) return call;
  }
  return std::nullopt;
}

// load("x", device_map="auto") as AutoModel.from_pretrained("x", device_map="auto").
Call from_function(const Script& script, const Binding& definition, Call call) {
  const Parts& parts = script.parts();
  const Statement& header = parts.statements[definition.statement];
  const auto uses = parts.uses.find(call.callee);
  if (header.word != "def" || uses == parts.uses.end() || uses->second.size() != 1 ||
      std::any_of(call.arguments.begin(), call.arguments.end(),
                  [](const Argument& one) { return one.kind == Argument::Kind::star; })) {
    return call;
  }
  std::string_view rest;
  const auto names = parameters_of(parts, header, rest);
  const auto inner = rest.empty() ? std::nullopt : call_with_rest(script, header, rest);
  if (!inner) return call;
  std::vector<Argument> own(names.size());
  std::vector<Argument> passed;
  std::size_t position = 0;
  for (const Argument& argument : call.arguments) {
    const auto named = std::find(names.begin(), names.end(), argument.name);
    if (argument.kind == Argument::Kind::positional) {
      if (position < own.size()) own[position++] = argument;
    } else if (named != names.end() && argument.kind == Argument::Kind::keyword) {
      own[static_cast<std::size_t>(named - names.begin())] = argument;
    } else {
      passed.push_back(argument);
    }
  }
  Call meant = call;
  meant.callee = inner->callee;
  meant.method = inner->method;
  meant.receiver = inner->receiver;
  meant.arguments.clear();
  for (Argument argument : inner->arguments) {
    if (argument.kind != Argument::Kind::positional) continue;
    const std::string name = parts.dotted(parts.token_range(argument.value));
    const auto parameter = std::find(names.begin(), names.end(), name);
    if (parameter != names.end()) {
      const Argument& given = own[static_cast<std::size_t>(parameter - names.begin())];
      if (given.value == TextRange{}) return call;  // its default, which stands elsewhere
      argument.range = given.range;
      argument.value = given.value;
    }
    meant.arguments.push_back(argument);
  }
  meant.arguments.insert(meant.arguments.end(), passed.begin(), passed.end());
  return meant;
}

// load(…) after load = AutoModelForCausalLM.from_pretrained.
Call from_name(const Script& script, Call call) {
  const Parts& parts = script.parts();
  const std::size_t token = parts.token_range(call.range).first;
  const Binding* binding = binding_reaching(parts, token);
  if (binding != nullptr && binding->kind == Binding::Kind::plain) put_function(parts, binding->value, call);
  if (binding != nullptr && binding->kind == Binding::Kind::definition)
    return from_function(script, *binding, std::move(call));
  return call;
}

}  // namespace

Call seen_through(const Script& script, Call call) {
  if (is_loading_call(call)) return call;
  if (calls_its_argument(call)) return from_argument(script, std::move(call));
  const bool plain_name = !call.callee.empty() && call.receiver == TextRange{};
  return plain_name ? from_name(script, std::move(call)) : call;
}

std::optional<Call> caller_with_arguments(const Script& script, const Call& loading) {
  if (loading.scope.empty() || std::none_of(loading.arguments.begin(), loading.arguments.end(), is_double_star))
    return std::nullopt;
  const std::string function = loading.scope.substr(loading.scope.rfind('.') + 1);  // npos + 1: the whole
  for (const Call& call : script.calls()) {
    if (call.callee != function) continue;
    Call seen = seen_through(script, call);
    if (seen.callee == loading.callee && seen.receiver == loading.receiver) return seen;
  }
  return std::nullopt;
}

std::vector<Call> calls_seen_through(const Script& script) {
  std::vector<Call> calls = script.calls();
  for (Call& call : calls) call = seen_through(script, std::move(call));
  return calls;
}

std::vector<Call> calls_seen_through_on_line(const Script& script, int line) {
  std::vector<Call> calls = script.calls_on_line(line);
  for (Call& call : calls) call = seen_through(script, std::move(call));
  return calls;
}

}  // namespace whyfail::fixer
