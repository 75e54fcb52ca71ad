// Finds what moves or casts a loaded model afterwards.
#include "fixer/plan/moves.h"

#include <algorithm>
#include <charconv>

#include "fixer/call/loading_calls.h"

namespace whyfail::fixer {
namespace {

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r\n\\(");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r\n\\(") - begin + 1);
}

// "cuda" is GPU 0, "cuda:1" GPU 1.
std::optional<Device> moved_to(const Value& value) {
  const auto device = device_of(value);
  const auto* name = device ? std::get_if<std::string>(&*device) : nullptr;
  if (name == nullptr || !name->starts_with("cuda")) return device;
  if (*name == "cuda") return Device(std::int64_t{0});
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name->data() + 5, name->data() + name->size(), number);
  const bool whole =
      name->size() > 5 && (*name)[4] == ':' && error == std::errc() && end == name->data() + name->size();
  return whole ? Device(number) : device;
}

std::optional<DType> dtype_of(const Value& value) {
  DType type{};
  if (value.kind != Value::Kind::attribute || !parse_dtype(value.text, type)) return std::nullopt;
  return type;
}

// As deep as module trees are: a dozen levels.
void cast_module(Module& module, DType type) {
  for (auto* tensors : {&module.parameters, &module.buffers}) {
    for (Tensor& tensor : *tensors) {
      const DType own = tensor.dtype;
      if (own == DType::float64 || own == DType::float32 || own == DType::float16 || own == DType::bfloat16)
        tensor.dtype = type;
    }
  }
  for (Module& child : module.children) cast_module(child, type);
}

std::optional<DType> cast_of(const std::string& method) {
  if (method == "half") return DType::float16;
  if (method == "bfloat16") return DType::bfloat16;
  if (method == "float") return DType::float32;
  return std::nullopt;
}

// What ".to(…)", ".cuda(…)", ".half()" does; `method` is the name behind the last dot.
std::optional<Move> read_move(const Script& script, const Call& call, const std::string& method) {
  Move move;
  move.call = call;
  move.dtype = cast_of(method);
  move.casts = move.dtype.has_value();
  if (move.casts) return move;
  if (method != "to" && method != "cuda" && method != "cpu") return std::nullopt;
  if (method == "cpu") move.device = Device(std::string("cpu"));
  if (method == "cuda") move.device = Device(std::int64_t{0});
  for (const Argument& argument : call.arguments) {
    if (argument.kind == Argument::Kind::keyword && argument.name != "device") {
      if (argument.name != "dtype") continue;
      move.casts = true;
      move.dtype = dtype_of(script.value_of(argument.value));
      continue;
    }
    const Value value = script.value_of(argument.value);
    if (const auto type = dtype_of(value)) {
      move.casts = true;
      move.dtype = type;
    } else if (auto device = moved_to(value)) {
      move.device = device;
    } else if (method == "to") {
      move.device = Device(std::int64_t{0});  // a name that the text does not tell: device = "cuda" if … else "cpu"
    }
  }
  return move;
}

std::vector<Move> chained_moves(const Script& script, const std::vector<Call>& calls, const Call& loading) {
  std::vector<const Call*> chain;
  for (const Call& call : calls) {
    if (call.range.begin == loading.range.begin && call.range.end > loading.range.end) chain.push_back(&call);
  }
  std::sort(chain.begin(), chain.end(), [](const Call* a, const Call* b) { return a->range.end < b->range.end; });
  std::vector<Move> moves;
  std::size_t inner_end = loading.range.end;
  for (const Call* call : chain) {
    if (auto move = read_move(script, *call, call->method)) {
      move->chained = true;
      move->call.range.begin = inner_end;
      moves.push_back(*move);
    }
    inner_end = call->range.end;
  }
  return moves;
}

// Is `expression` the object that `loading` makes? By its name as written, or followed through the text.
bool is_object(const Script& script, const std::string& target, const Call& loading, TextRange expression) {
  if (!target.empty() && expression.begin > loading.range.end &&
      script.text().substr(expression.begin, expression.end - expression.begin) == target) {
    return true;
  }
  const auto made = loading_call_of(script, expression);
  return made && made->range == loading.range;
}

// The model that pipeline() is given; an empty range: none.
TextRange model_given(const Call& call) {
  if (const Argument* named = call.argument("model")) return named->value;
  std::size_t position = 0;
  for (const Argument& argument : call.arguments) {
    if (argument.kind == Argument::Kind::positional && position++ == 1) return argument.value;
  }
  return {};
}

std::optional<Move> pipeline_move(const Script& script, const Call& call, const std::string& target,
                                  const Call& loading) {
  const TextRange model = model_given(call);
  const Argument* device = call.argument("device");
  if (model == TextRange{} || device == nullptr || !is_object(script, target, loading, model)) return std::nullopt;
  Move move;
  move.call = call;
  move.pipeline = true;
  move.device = moved_to(script.value_of(device->value)).value_or(Device(std::int64_t{0}));
  if (move.device == Device(std::int64_t{-1})) return std::nullopt;
  return move;
}

bool may_move(const std::string& method) {
  return method == "to" || method == "cuda" || method == "cpu" || cast_of(method).has_value();
}

}  // namespace

std::string target_of(const Script& script, const Call& loading) {
  const TextRange statement = script.statement_at(loading.range.begin);
  if (statement.begin >= loading.range.begin) return "";
  const std::string left = script.text().substr(statement.begin, loading.range.begin - statement.begin);
  const auto equals = left.rfind('=');
  if (equals == std::string::npos || !trimmed(left.substr(equals + 1)).empty()) return "";
  std::string name = trimmed(left.substr(0, equals));
  if (const auto colon = name.find(':'); colon != std::string::npos) name = trimmed(name.substr(0, colon));
  const bool plain =
      !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return is_name_byte(c) || c == '.'; });
  return plain ? name : "";
}

std::optional<DType> dtype_when_moved(const LoadCall& load, const std::vector<Move>& moves) {
  if (!load.settings.quantizer.empty() || load.device_map.kind != DeviceMapArgument::Kind::none) return std::nullopt;
  std::optional<DType> now;
  std::optional<DType> moved;
  for (const Move& move : moves) {
    if (move.casts) now = move.dtype;
    if (move.device) moved = now;
  }
  return moved;
}

Model cast_to(Model model, DType type) {
  cast_module(model.tree.root, type);
  model.dtype = type;
  return model;
}

std::vector<Move> moves_after(const Script& script, const Call& loading) {
  const std::vector<Call> calls = script.calls();
  std::vector<Move> moves = chained_moves(script, calls, loading);
  const std::string target = target_of(script, loading);
  for (const Call& call : calls) {
    if (call.range.begin <= loading.range.end && call.range.end >= loading.range.begin) continue;
    if (call.callee == "pipeline" || call.callee == "transformers.pipeline") {
      if (auto move = pipeline_move(script, call, target, loading)) moves.push_back(*move);
      continue;
    }
    if (!may_move(call.method) || call.receiver == TextRange{}) continue;
    if (!is_object(script, target, loading, call.receiver)) continue;
    if (auto move = read_move(script, call, call.method)) moves.push_back(*move);
  }
  return moves;
}

}  // namespace whyfail::fixer
