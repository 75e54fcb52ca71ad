// Finds what moves or casts a loaded model afterwards.
#include "fixer/plan/moves.h"

#include <algorithm>

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

std::optional<Device> device_of(const Value& value) {
  if (value.kind == Value::Kind::integer) return Device(static_cast<std::int64_t>(value.integer));
  if (value.kind == Value::Kind::text) {
    if (value.text == "cuda") return Device(std::int64_t{0});
    return Device(value.text);
  }
  if (value.kind == Value::Kind::call && value.text == "torch.device" && !value.items.empty())
    return device_of(value.items.front());
  return std::nullopt;
}

bool is_dtype(const Value& value) {
  DType type{};
  return value.kind == Value::Kind::attribute && parse_dtype(value.text, type);
}

// What ".to(…)", ".cuda(…)", ".half()" does; `method` is the name behind the last dot.
std::optional<Move> read_move(const Script& script, const Call& call, const std::string& method) {
  Move move;
  move.call = call;
  if (method == "half" || method == "float" || method == "bfloat16") {
    move.casts = true;
    return move;
  }
  if (method != "to" && method != "cuda" && method != "cpu") return std::nullopt;
  if (method == "cpu") move.device = Device(std::string("cpu"));
  if (method == "cuda") move.device = Device(std::int64_t{0});
  for (const Argument& argument : call.arguments) {
    if (argument.kind == Argument::Kind::keyword && argument.name != "device") {
      if (argument.name == "dtype") move.casts = true;
      continue;
    }
    const Value value = script.value_of(argument.value);
    if (is_dtype(value)) {
      move.casts = true;
    } else if (auto device = device_of(value)) {
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

std::optional<Move> pipeline_move(const Script& script, const Call& call, const std::string& target) {
  const Argument* model = call.argument("model");
  const Argument* device = call.argument("device");
  if (model == nullptr || device == nullptr) return std::nullopt;
  if (script.text().substr(model->value.begin, model->value.end - model->value.begin) != target) return std::nullopt;
  Move move;
  move.call = call;
  move.pipeline = true;
  move.device = device_of(script.value_of(device->value)).value_or(Device(std::int64_t{0}));
  if (move.device == Device(std::int64_t{-1})) return std::nullopt;
  return move;
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

std::vector<Move> moves_after(const Script& script, const Call& loading) {
  const std::vector<Call> calls = script.calls();
  std::vector<Move> moves = chained_moves(script, calls, loading);
  const std::string target = target_of(script, loading);
  if (target.empty()) return moves;
  for (const Call& call : calls) {
    if (call.range.begin <= loading.range.end) continue;
    if (call.callee == "pipeline" || call.callee == "transformers.pipeline") {
      if (auto move = pipeline_move(script, call, target)) moves.push_back(*move);
      continue;
    }
    if (call.callee.size() <= target.size() + 1 || call.callee.compare(0, target.size() + 1, target + ".") != 0)
      continue;
    if (auto move = read_move(script, call, call.callee.substr(target.size() + 1))) moves.push_back(*move);
  }
  return moves;
}

}  // namespace whyfail::fixer
