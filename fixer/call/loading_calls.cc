// Follows an object back to the call that loaded it.
#include "fixer/call/loading_calls.h"

#include <algorithm>
#include <array>

#include "fixer/call/entries.h"
#include "fixer/call/seen_through.h"

namespace whyfail::fixer {
namespace {

using Parts = Script::Parts;

constexpr int longest_way = 16;

// transformers 4.30 to 5.5, accelerate 0.20 to 1.12, diffusers 0.15 to 0.35, optimum, auto-gptq.
constexpr std::array<std::string_view, 13> loading_functions = {"from_pretrained",
                                                                "from_config",
                                                                "from_single_file",
                                                                "from_quantized",
                                                                "pipeline",
                                                                "load_checkpoint_and_dispatch",
                                                                "load_checkpoint_in_model",
                                                                "load_and_quantize_model",
                                                                "dispatch_model",
                                                                "infer_auto_device_map",
                                                                "cpu_offload",
                                                                "cpu_offload_with_hook",
                                                                "disk_offload"};

// Classes whose from_pretrained loads no weights.
constexpr std::array<std::string_view, 6> without_weights = {"Tokenizer", "Processor", "Extractor",
                                                             "Config",    "Scheduler", "Streamer"};

// Methods and functions that hand on the object they get.
constexpr std::array<std::string_view, 20> handing_on = {"to",
                                                         "cuda",
                                                         "cpu",
                                                         "half",
                                                         "float",
                                                         "bfloat16",
                                                         "eval",
                                                         "train",
                                                         "requires_grad_",
                                                         "compile",
                                                         "prepare",

                                                         "to_empty",
                                                         "tie_weights",
                                                         "get_peft_model",
                                                         "prepare_model_for_kbit_training",
                                                         "DataParallel",
                                                         "DistributedDataParallel",
                                                         "merge_and_unload",
                                                         "run",  // asyncio
                                                         "run_until_complete"};

template <std::size_t Size>
bool contains(const std::array<std::string_view, Size>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class Way {
 public:
  explicit Way(const Script& script) : script_(script), parts_(script.parts()) {}

  std::optional<Call> from_expression(TokenRange tokens) {
    if (tokens.empty() || ++steps_ > longest_way) return std::nullopt;
    if (parts_.is(tokens.first, "await")) ++tokens.first;
    while (tokens.last - tokens.first > 2 && parts_.is(tokens.first, "(") &&
           parts_.token(tokens.first).partner == tokens.last - 1) {
      ++tokens.first;
      --tokens.last;
    }
    if (parts_.is(tokens.last - 1, ")")) return from_call_ending(tokens);
    if (tokens.last - tokens.first == 1) return from_name(tokens.first);
    return from_dotted(tokens);
  }

  std::optional<Call> from_call(const Call& written) {
    const Call call = seen_through(script_, written);
    if (is_loading_call(call)) return call;
    const bool own_function = call.receiver == TextRange{} && !call.callee.empty();
    if (own_function) {
      const std::size_t name = parts_.token_range(call.range).first;
      if (auto made = from_function(name)) return made;
      if (auto made = from_partial(name)) return made;
    }
    if (call.receiver != TextRange{}) {
      if (auto made = from_method(call.method)) return made;
    }
    if (!contains(handing_on, call.method)) return std::nullopt;
    if (call.receiver != TextRange{}) {
      if (auto made = from_expression(parts_.token_range(call.receiver))) return made;
    }
    return from_arguments(call);
  }

  std::optional<Call> from_arguments(const Call& call) {
    const Argument* model = call.argument("model");
    if (model == nullptr && !call.arguments.empty() && call.arguments.front().kind == Argument::Kind::positional) {
      model = &call.arguments.front();
    }
    return model == nullptr ? std::nullopt : from_expression(parts_.token_range(model->value));
  }

 private:
  std::optional<Call> from_call_ending(TokenRange tokens) {
    const std::size_t open = parts_.token(tokens.last - 1).partner;
    if (open == no_token || call_opening_at(parts_, tokens.first, open) == nullptr) return std::nullopt;
    const auto call = script_.call_at(parts_.bytes(tokens));
    return call ? from_call(*call) : std::nullopt;
  }

  std::optional<Call> from_name(std::size_t token) {
    if (parts_.token(token).kind != TokenKind::name) return std::nullopt;
    const Binding* binding = binding_reaching(parts_, token);
    if (binding == nullptr) return std::nullopt;
    if (binding->kind == Binding::Kind::parameter) return from_parameter(*binding);
    return binding->kind == Binding::Kind::plain ? from_expression(binding->value) : std::nullopt;
  }

  // A parameter of a function that this text calls once is what that call gives it.
  std::optional<Call> from_parameter(const Binding& binding) {
    const Statement& header = parts_.statements[binding.statement];
    const std::size_t name = header.tokens.first + (parts_.is(header.tokens.first, "async") ? 2 : 1);
    const std::string_view function = parts_.word(name);
    const auto uses = parts_.uses.find(std::string(function));
    const auto* bound = bindings_of(parts_, name);
    if (header.word != "def" || uses == parts_.uses.end() || uses->second.size() != 1 || bound == nullptr ||
        bound->size() != 1 || parts_.scopes[parts_.scopes[header.body_scope].parent].kind == Scope::Kind::class_body) {
      return std::nullopt;
    }
    const std::size_t used = uses->second.front().token;
    const CallNode* call = call_opening_at(parts_, used, used + 1);
    if (call == nullptr || call->close == no_token) return std::nullopt;
    std::size_t position = 0;
    for (std::size_t index = name + 2; index < binding.token; index = parts_.after(index, binding.token)) {
      if (parts_.is(index, "*") || parts_.is(index, "/")) return std::nullopt;
      position += parts_.is(index, ",") ? 1U : 0U;
    }
    for (std::size_t which = 0; which < call->arguments.size(); ++which) {
      const ArgumentNode& argument = call->arguments[which];
      if (argument.kind == Argument::Kind::star || argument.kind == Argument::Kind::double_star) return std::nullopt;
      const bool keyword = argument.kind == Argument::Kind::keyword;
      if (keyword ? parts_.word(argument.name) == parts_.word(binding.token) : which == position)
        return from_expression(argument.value);
    }
    return std::nullopt;
  }

  // "self.model": the only statement that assigns it; "model.model": the part of what model is.
  std::optional<Call> from_dotted(TokenRange tokens) {
    const std::string name = parts_.dotted(tokens);
    if (name.empty()) return std::nullopt;
    if (!parts_.is(tokens.first, "self")) return from_name(tokens.first);
    TokenRange value;
    for (const Statement& statement : parts_.statements) {
      const TokenRange all = statement.tokens;
      const std::size_t length = tokens.last - tokens.first;
      if (all.last - all.first <= length + 1 || !parts_.is(all.first + length, "=")) continue;
      if (parts_.dotted({all.first, all.first + length}) != name || all.first == tokens.first) continue;
      if (tokens.first >= all.first && tokens.first < all.last) continue;  // self.model = self.model.to(…)
      if (!value.empty()) return std::nullopt;
      value = {all.first + length + 1, all.last};
    }
    return from_expression(value);
  }

  // f(…) after f = functools.partial(AutoModel.from_pretrained, …).
  std::optional<Call> from_partial(std::size_t token) {
    const Binding* binding = binding_reaching(parts_, token);
    if (binding == nullptr || binding->kind != Binding::Kind::plain) return std::nullopt;
    const auto call = script_.call_at(parts_.bytes(binding->value));
    if (!call || call->method != "partial") return std::nullopt;
    Call seen = seen_through(script_, *call);
    return is_loading_call(seen) ? std::optional(std::move(seen)) : std::nullopt;
  }

  // A function of this text: what all its return statements give.
  std::optional<Call> from_function(std::size_t token) {
    const auto* bound = bindings_of(parts_, token);
    if (bound == nullptr || bound->size() != 1 || bound->front().kind != Binding::Kind::definition) return std::nullopt;
    return from_returns(parts_.statements[bound->front().statement]);
  }

  // Loader("x").load(): the only method of that name in this text.
  std::optional<Call> from_method(std::string_view name) {
    const Statement* only = nullptr;
    for (const Statement& statement : parts_.statements) {
      const std::size_t word = statement.tokens.first + (parts_.is(statement.tokens.first, "async") ? 1U : 0U);
      if (statement.word != "def" || !parts_.is(word + 1, name)) continue;
      if (only != nullptr || parts_.scopes[statement.scope].kind != Scope::Kind::class_body) return std::nullopt;
      only = &statement;
    }
    return only == nullptr ? std::nullopt : from_returns(*only);
  }

  std::optional<Call> from_returns(const Statement& header) {
    if (header.word != "def" || ++steps_ > longest_way) return std::nullopt;
    std::optional<Call> made;
    for (const Statement& statement : parts_.statements) {
      if (statement.scope != header.body_scope || statement.word != "return") continue;
      auto one = from_returned({statement.tokens.first + 1, statement.tokens.last});
      if (!one || (made && one->range != made->range)) return std::nullopt;
      made = std::move(one);
    }
    return made;
  }

  // "return model" and "return model, tokenizer": of several the only one that was loaded.
  std::optional<Call> from_returned(TokenRange tokens) {
    std::optional<Call> made;
    std::size_t first = tokens.first;
    for (std::size_t index = tokens.first; index <= tokens.last;
         index = index < tokens.last ? parts_.after(index, tokens.last) : index + 1) {
      if (index < tokens.last && !parts_.is(index, ",")) continue;
      if (first < index) {
        if (auto one = from_expression({first, index}); one && !made) made = std::move(one);
      }
      first = index + 1;
    }
    return made;
  }

  const Script& script_;
  const Parts& parts_;
  int steps_ = 0;
};

}  // namespace

bool is_loading_call(const Call& call) {
  if (!contains(loading_functions, call.method)) return false;
  if (call.method != "from_pretrained" && call.method != "from_config") return true;
  const std::size_t dot = call.callee.rfind('.');
  const std::string_view owner = std::string_view(call.callee).substr(0, dot == std::string::npos ? 0 : dot);
  return std::none_of(without_weights.begin(), without_weights.end(),
                      [&](std::string_view kind) { return owner.find(kind) != std::string_view::npos; });
}

bool may_hold_loading_call(std::string_view line) {
  return line.find('(') != std::string_view::npos &&
         std::any_of(loading_functions.begin(), loading_functions.end(),
                     [&](std::string_view name) { return line.find(name) != std::string_view::npos; });
}

std::vector<Call> loading_calls(const Script& script) {
  std::vector<Call> found = calls_seen_through(script);
  found.erase(std::remove_if(found.begin(), found.end(), [](const Call& call) { return !is_loading_call(call); }),
              found.end());
  return found;
}

std::optional<Call> loading_call_of(const Script& script, TextRange expression) {
  return Way(script).from_expression(script.parts().token_range(expression));
}

std::optional<Call> loading_call_behind(const Script& script, const Call& call) {
  if (call.receiver != TextRange{}) {
    if (auto made = Way(script).from_expression(script.parts().token_range(call.receiver))) return made;
  }
  if (call.receiver == TextRange{} && !call.callee.empty()) {  // model(...): the object itself is called
    const TokenRange callee{script.parts().token_range(call.range).first,
                            script.parts().token_range(call.range).first + 1};
    if (auto made = Way(script).from_expression(callee)) return made;
  }
  return Way(script).from_arguments(call);
}

}  // namespace whyfail::fixer
