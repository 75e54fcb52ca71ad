// Calls inside expressions: str(…), int(…), dict(…) and "…".format(…) have values; all others stay calls.
#include <cmath>
#include <cstdlib>

#include "fixer/call/evaluator.h"

namespace whyfail::fixer {
namespace {

// os.path.join and Path of texts: the path with forward slashes, which every system takes.
Value joined_path(Value call) {
  std::string path;
  for (const Value& item : call.items) {
    if (item.kind != Value::Kind::text || path.size() > longest_text) return call;
    const bool absolute = !item.text.empty() && (item.text[0] == '/' || item.text[0] == '\\');
    if (path.empty() || absolute) {
      path = item.text;
    } else {
      path += (path.back() == '/' ? "" : "/") + item.text;
    }
  }
  return path.empty() ? call : text_value(path);
}

}  // namespace

Value Evaluator::formatted(std::string_view form, std::size_t open) {
  std::vector<Value> values;
  for (const TokenRange& item : items({open + 1, parts_.token(open).partner})) values.push_back(evaluate(item));
  const auto text = brace_formatted(form, values);
  return text ? text_value(*text) : unknown_value();
}

Value Evaluator::called(const Value& callee, std::size_t open) {
  Value call;
  call.kind = Value::Kind::call;
  call.text = callee.text;
  bool plain = true;
  for (const TokenRange& item : items({open + 1, parts_.token(open).partner})) {
    const bool star = parts_.is(item.first, "*") || parts_.is(item.first, "**");
    if (parts_.is(item.first, "**")) {
      const Value rest = evaluate({item.first + 1, item.last});
      if (rest.kind != Value::Kind::dict) call.keywords.emplace_back();
      for (const auto& [key, value] : rest.pairs) call.keywords.emplace_back(key.text, value);
    } else if (!star && item.last - item.first > 1 && parts_.is(item.first + 1, "=") &&
               parts_.token(item.first).kind == TokenKind::name) {
      call.keywords.emplace_back(parts_.word(item.first), evaluate({item.first + 2, item.last}));
    } else if (!star) {
      call.items.push_back(evaluate(item));
    }
    plain = plain && !star;
  }
  return result_of(std::move(call), callee, plain);
}

// What torch.cuda says on a machine whose GPUs are known.
std::optional<Value> Evaluator::told_by_torch(const Value& call) const {
  if (!parts_.gpus || !call.items.empty() || !call.keywords.empty()) return std::nullopt;
  if (call.text == "torch.cuda.is_available") {
    Value available;
    available.kind = Value::Kind::boolean;
    available.boolean = *parts_.gpus > 0;
    return available;
  }
  if (call.text == "torch.cuda.device_count") return integer_value(*parts_.gpus);
  const bool first = *parts_.gpus > 0 && parts_.text.find("set_device") == std::string::npos;
  if (call.text == "torch.cuda.current_device" && first) return integer_value(0);
  return std::nullopt;
}

// What a call of something that Python itself brings yields; every other call stays a call.
Value Evaluator::result_of(Value call, const Value& callee, bool plain) const {
  if (callee.kind == Value::Kind::attribute) {
    if (auto told = told_by_torch(call)) return *told;
    const bool path = call.text == "os.path.join" || call.text == "Path" || call.text == "pathlib.Path";
    return path && plain && call.keywords.empty() ? joined_path(std::move(call)) : call;
  }
  if (callee.kind != Value::Kind::unknown || callee.text.empty()) return unknown_value();
  const Value* only = call.items.size() == 1 && call.keywords.empty() && plain ? &call.items.front() : nullptr;
  if (call.text == "dict") {
    Value dict;
    dict.kind = Value::Kind::dict;
    if (only != nullptr && only->kind == Value::Kind::dict) dict = *only;
    if (!call.items.empty() && dict.pairs.empty()) dict.pairs.emplace_back();
    for (const auto& [name, value] : call.keywords) {
      set_entry_value(dict, name.empty() ? Value() : text_value(name), value);
    }
    return dict;
  }
  const bool number = only != nullptr && (only->kind == Value::Kind::integer || only->kind == Value::Kind::floating);
  if (call.text == "str" && only != nullptr && shown(*only)) return text_value(*shown(*only));
  if (call.text == "int" && number) {
    if (only->kind == Value::Kind::integer) return *only;
    return std::abs(only->floating) < 9e18 ? integer_value(static_cast<long long>(only->floating)) : unknown_value();
  }
  return call;
}

}  // namespace whyfail::fixer
