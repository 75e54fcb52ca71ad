// From the last frame of the user's own code to the call that has to change.
#include "fixer/call/failing_call.h"

#include <algorithm>
#include <array>

#include "fixer/call/definitions.h"
#include "fixer/call/elsewhere.h"
#include "fixer/call/loading_calls.h"
#include "fixer/call/seen_through.h"
#include "fixer/call/shown_code.h"
#include "fixer/call/syntax.h"
#include "fixer/call/user_frames.h"

namespace whyfail::fixer {
namespace {

using matchers::Frame;
using matchers::Raised;
using matchers::Reading;

std::string_view last_name(std::string_view dotted) {
  const std::size_t dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

bool is_capital(std::string_view name) { return !name.empty() && name[0] >= 'A' && name[0] <= 'Z'; }

// Functions of Python itself through which values go on their way, and under which no frame of theirs appears.
bool is_builtin(std::string_view name) {
  constexpr std::array<std::string_view, 12> names = {"print", "len",  "str",  "list", "next",  "repr",
                                                      "dict",  "type", "iter", "map",  "tuple", "sum"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What the frames under the user's own one say about the call that led there.
struct Below {
  std::vector<std::string_view> functions;  // nearest first
  std::string_view file;                    // of the nearest
};

Below below(const Raised& raised, std::size_t frame) {
  constexpr std::size_t enough = 4;
  Below found;
  for (std::size_t index = frame + 1; index < raised.frames.size() && index <= frame + enough; ++index) {
    found.functions.push_back(last_name(raised.frames[index].function));
    if (found.file.empty()) found.file = raised.frames[index].file;
  }
  return found;
}

bool leads_to(const Call& call, std::string_view function) {
  if (function.empty()) return false;
  if (call.method == function) return true;
  if (function == "__init__" || function == "__new__" || function == "__post_init__") return is_capital(call.method);
  const bool calls_object = function == "__call__" || function == "_call_impl" || function == "_wrapped_call_impl";
  return calls_object && call.receiver == TextRange{} && !is_capital(call.method) && !is_builtin(call.callee) &&
         !is_loading_call(call);
}

// The call of a logical line that failed: the one that leads to the next frames, else a loading call, else the
// outermost.
// `line`: where the frame stands in the text of the calls; 0: not known.
const Call* failed_call(const std::vector<Call>& calls, const Below& under, int line) {
  const bool tokenizer = under.file.find("tokenization") != std::string_view::npos;
  for (const std::string_view function : under.functions) {
    const Call* found = nullptr;
    int best = -1;
    for (const Call& call : calls) {
      if (!leads_to(call, function)) continue;
      const bool fits = tokenizer == (call.callee.find("Tokenizer") != std::string::npos);
      const int score = (fits ? 2 : 0) + (call.line == line ? 1 : 0);
      if (score <= best) continue;
      found = &call;
      best = score;
    }
    if (found != nullptr) return found;
  }
  const auto loading = std::find_if(calls.begin(), calls.end(), is_loading_call);
  if (loading != calls.end()) return &*loading;
  const auto own = std::find_if(calls.begin(), calls.end(), [](const Call& call) { return !is_builtin(call.callee); });
  if (own != calls.end()) return &*own;
  return calls.empty() ? nullptr : &calls.front();
}

std::string text_of(const Script& script, TextRange range) {
  return script.text().substr(range.begin, range.end - range.begin);
}

// Some calls can't be told from what they work on: whether the object's own loading call would have to change is not
// seen.
bool stands_for_itself(const Script& script, const Call& call) {
  if (is_loading_call(call) || call.method == "from_pretrained") return true;
  constexpr std::array<std::string_view, 4> takes_a_model = {"model", "base_model", "unet", "pipe"};
  const bool of_model = std::any_of(call.arguments.begin(), call.arguments.end(), [&](const Argument& argument) {
    const std::string name =
        argument.kind == Argument::Kind::positional ? text_of(script, argument.value) : argument.name;
    return std::find(takes_a_model.begin(), takes_a_model.end(), name) != takes_a_model.end();
  });
  return is_capital(call.method) && !of_model;
}

// "quantization_config=BitsAndBytesConfig(…)," as a line of its own is an argument of a call that starts further up.
bool is_argument_line(const Script& script, const Call& call) {
  if (is_loading_call(call)) return false;
  const Script::Parts& parts = script.parts();
  const TokenRange tokens = parts.token_range(call.range);
  const std::size_t statement = tokens.empty() ? nowhere : parts.statement_of(tokens.first);
  if (statement == nowhere) return false;
  const TokenRange whole = parts.statements[statement].tokens;
  const bool close = whole.last - whole.first > 2 && parts.is(whole.first + 1, "=") &&
                     parts.token(whole.first).end == parts.token(whole.first + 1).begin &&
                     parts.token(whole.first + 1).end == parts.token(whole.first + 2).begin;
  return close || parts.is(whole.last - 1, ",");
}

// The text of an expression with the indentation of its first line taken off the others.
std::string dedented(const Script& script, TextRange range) {
  const std::string& text = script.text();
  std::size_t line = range.begin;
  while (line > 0 && text[line - 1] != '\n' && text[line - 1] != '\r') --line;
  std::size_t indent = line;
  while (indent < range.begin && (text[indent] == ' ' || text[indent] == '\t')) ++indent;
  const std::string blanks = text.substr(line, indent - line);
  std::string out;
  for (std::size_t at = range.begin; at < range.end; ++at) {
    out += text[at];
    if (text[at] == '\n' && !blanks.empty() && text.compare(at + 1, blanks.size(), blanks) == 0) at += blanks.size();
  }
  return out;
}

// What is called on the result of `call` in the same expression, as written: a few links, as people write them.
std::string chained_to(const Script& script, const Call& call) {
  constexpr int most_links = 8;
  const std::vector<Call> calls = script.calls();
  TextRange whole = call.range;
  for (int link = 0; link < most_links; ++link) {
    const auto outer = std::find_if(calls.begin(), calls.end(), [&](const Call& other) {
      return other.complete && other.receiver == whole && other.range.end > whole.end;
    });
    if (outer == calls.end()) break;
    whole = outer->range;
  }
  return text_of(script, {call.range.end, whole.end});
}

FoundCall found_in_paste(const Script& script, const Call& call, const Frame* frame, std::string failing) {
  FoundCall found;
  found.text = dedented(script, call.range);
  found.chained = chained_to(script, call);
  if (frame != nullptr) {
    found.file = frame->file;
    found.line = frame->line;
  }
  found.complete = call.complete && stands_for_itself(script, call) && !is_argument_line(script, call);
  found.failing = std::move(failing);
  return found;
}

// Variables that a call works on: its receiver's first name, else its argument `model` or first argument.
std::vector<std::string> objects_of(const Script& script, const Call& call) {
  std::vector<std::string> names;
  const Script::Parts& parts = script.parts();
  const auto add = [&](TextRange range) {
    const TokenRange tokens = parts.token_range(range);
    if (tokens.empty() || parts.token(tokens.first).kind != TokenKind::name) return;
    const std::string name = parts.dotted(tokens);
    if (name.rfind("self.", 0) == 0) {
      names.push_back(name);
    } else if (!name.empty()) {
      names.emplace_back(parts.word(tokens.first));
    }
  };
  if (call.receiver != TextRange{}) {
    add(call.receiver);
  } else if (!call.callee.empty() && !is_capital(call.method)) {
    names.push_back(call.callee);
  }
  if (call.method.rfind("save", 0) == 0) return names;  // what it is given is only written out
  if (const Argument* model = call.argument("model")) {
    add(model->value);
  } else if (!call.arguments.empty() && call.arguments.front().kind == Argument::Kind::positional) {
    add(call.arguments.front().value);
  }
  return names;
}

// The paste's code outside its tracebacks, made when it is asked for: most pastes are answered without.
class Outside {
 public:
  explicit Outside(const Reading& reading) : reading_(reading) {}
  const ShownCode& code() {
    if (!code_) code_ = code_outside_tracebacks(reading_);
    return *code_;
  }
  std::optional<std::size_t> last_prompted_before(std::uint64_t place) {
    if (!prompted_) prompted_ = prompted_lines(code());
    return last_prompted(code(), *prompted_, place);
  }

 private:
  const Reading& reading_;
  std::optional<ShownCode> code_;
  std::optional<std::vector<std::size_t>> prompted_;  // a paste may hold many frames without source
};

std::size_t current_line(const Frame& frame) {
  for (std::size_t index = 0; index < frame.source.size(); ++index) {
    if (frame.source[index].current &&
        (frame.line == 0 || frame.source[index].number == 0 || frame.source[index].number == frame.line)) {
      return index;
    }
  }
  for (std::size_t index = 0; index < frame.source.size(); ++index) {
    if (frame.source[index].current) return index;
  }
  return frame.source.empty() ? 0 : frame.source.size() - 1;
}

// A frame without source ("<stdin>"): what was typed last before the traceback.
std::optional<FoundCall> from_prompt(const Frame& frame, const Raised& raised, const Below& under, Outside& outside) {
  const ShownCode& code = outside.code();
  const auto line = outside.last_prompted_before(raised.where.begin);
  auto read = line ? read_line(code, *line) : std::nullopt;
  const Call* failed = read ? failed_call(read->calls, under, 0) : nullptr;
  if (failed == nullptr) return std::nullopt;
  if (is_loading_call(*failed)) return found_in_paste(read->script, *failed, &frame, "");
  const std::string failing = dedented(read->script, failed->range);
  if (auto made = loading_call_behind(read->script, *failed))
    return found_in_paste(read->script, *made, &frame, failing);
  for (const std::string& name : objects_of(read->script, *failed)) {
    if (auto made = loaded_into(code, name, *line)) return found_in_paste(made->script, made->call, &frame, failing);
  }
  return found_in_paste(read->script, *failed, &frame, "");
}

std::optional<FoundCall> from_shown(const Frame& frame, const Below& under, Outside& outside) {
  const ShownCode shown = code_of(frame);
  if (shown.lines.empty()) return std::nullopt;
  const std::size_t current = current_line(frame);
  const std::string_view line = stripped(shown.lines[current]);
  auto read = read_line_around(shown, current);
  const Call* failed = read ? failed_call(read->calls, under, 0) : nullptr;
  if (failed == nullptr || !failed->complete) {
    if (auto elsewhere = shown_elsewhere(outside.code(), shown, current)) {
      read = std::move(elsewhere);
      failed = failed_call(read->calls, under, 0);
    }
  }
  if (failed == nullptr) return std::nullopt;
  if (is_loading_call(*failed)) return found_in_paste(read->script, *failed, &frame, "");
  const std::string failing = dedented(read->script, failed->range);
  if (auto made = loading_call_behind(read->script, *failed))
    return found_in_paste(read->script, *made, &frame, failing);
  for (const std::string& name : objects_of(read->script, *failed)) {
    auto made = loaded_into(shown, name, current);
    if (!made) made = loaded_elsewhere(outside.code(), line, name);
    if (made) return found_in_paste(made->script, made->call, &frame, failing);
  }
  return found_in_paste(read->script, *failed, &frame, "");
}

// In a file at hand: the frame's line must say there what it says in the traceback, or say it in exactly one other
// place.
std::variant<int, NoCall> line_in_file(const Script& script, const Frame& frame) {
  std::vector<std::string_view> lines;
  const std::string& text = script.text();
  const auto& begins = script.parts().line_begins;
  for (std::size_t index = 0; index < begins.size(); ++index) {
    const std::size_t end = index + 1 < begins.size() ? begins[index + 1] : text.size();
    lines.push_back(stripped(std::string_view(text).substr(begins[index], end - begins[index])));
  }
  const std::string_view shown =
      frame.source.empty() ? std::string_view() : stripped(frame.source[current_line(frame)].text);
  const auto number = static_cast<std::size_t>(std::max(frame.line, 0));
  const bool in_file = number >= 1 && number <= lines.size();
  if (shown.empty()) {
    if (in_file) return frame.line;
    return NoCall{frame.file + " has no line " + std::to_string(frame.line) +
                  "; the file changed since the traceback was made"};
  }
  if (in_file && lines[number - 1] == shown) return frame.line;
  const auto first = std::find(lines.begin(), lines.end(), shown);
  if (first == lines.end()) {
    return NoCall{"line " + std::to_string(frame.line) + " of " + frame.file +
                  " is not what the traceback shows; the file changed since it was made"};
  }
  if (std::find(first + 1, lines.end(), shown) != lines.end()) {
    return NoCall{frame.file + " changed since the traceback was made, and several of its lines say \"" +
                  std::string(shown) + "\""};
  }
  return static_cast<int>(first - lines.begin()) + 1;
}

std::optional<std::variant<FoundCall, NoCall>> from_file(const Frame& frame, const Below& under, std::string text) {
  Script script = Script::read(std::move(text));
  const auto line = line_in_file(script, frame);
  if (const auto* none = std::get_if<NoCall>(&line)) return *none;
  const std::vector<Call> calls = calls_seen_through_on_line(script, std::get<int>(line));
  const Call* failed = failed_call(calls, under, std::get<int>(line));
  if (failed == nullptr) return std::nullopt;
  FoundCall found;
  found.file = frame.file;
  Call call = *failed;
  if (!is_loading_call(call)) {
    if (auto made = loading_call_behind(script, call)) {
      found.failing = dedented(script, call.range);
      call = std::move(*made);
    }
  }
  if (auto caller = is_loading_call(call) ? caller_with_arguments(script, call) : std::nullopt) {
    call = std::move(*caller);
  }
  found.text = dedented(script, call.range);
  found.line = call.line;
  found.complete = call.complete && stands_for_itself(script, call);
  found.call = std::move(call);
  found.script = std::move(script);
  return found;
}

// Without a frame of the user's own: the only loading call that the paste's code shows.
std::optional<FoundCall> only_one_outside(const ShownCode& outside) {
  std::optional<FoundCall> found;
  std::size_t tried = 0;
  for (std::size_t index = 0; index < outside.lines.size() && tried < 64; ++index) {
    if (!may_hold_loading_call(outside.lines[index])) continue;
    ++tried;
    const auto read = read_line(outside, index);
    if (!read || !read->whole) continue;
    const auto loading = std::find_if(read->calls.begin(), read->calls.end(), is_loading_call);
    index += read->lines - 1;
    if (loading == read->calls.end() || !loading->complete) continue;
    FoundCall one = found_in_paste(read->script, *loading, nullptr, "");
    if (found && found->text != one.text) return std::nullopt;
    found = std::move(one);
  }
  return found;
}

// The only line that a box or an arrow marks as failing where the head of the traceback is cut off; or the only line
// that does nothing but use a model.
std::optional<FoundCall> marked_outside(const ShownCode& outside) {
  std::optional<FoundCall> found;
  std::size_t tried = 0;
  for (std::size_t index = 0; index < outside.lines.size() && tried < 64; ++index) {
    const std::string_view line = stripped(outside.lines[index]);
    const bool uses_model = line.rfind("model.", 0) == 0 || line.rfind("pipe.", 0) == 0;
    if (!outside.marked[index] && !uses_model) continue;
    ++tried;
    const auto read = read_line(outside, index);
    if (!read || !read->whole || read->calls.empty()) continue;
    if (found) return std::nullopt;
    found = found_in_paste(read->script, *failed_call(read->calls, {}, 0), nullptr, "");
  }
  return found;
}

void add_in_order(const matchers::Chain& chain, std::size_t cause, std::vector<const Raised*>& order) {
  const auto& raised = chain.raised;
  // A pool or an executor raises the same error a second time in the parent: the first tells where it arose.
  for (std::size_t index = 0; index < cause; ++index) {
    if (raised[index].type == raised[cause].type && raised[index].message == raised[cause].message)
      order.push_back(&raised[index]);
  }
  for (std::size_t index = cause; index < raised.size(); ++index) order.push_back(&raised[index]);
  for (std::size_t index = cause; index-- > 0;) order.push_back(&raised[index]);
}

// The exceptions in which to look for the user's own frames: the cause, then those it led to, then those before it. A
// pipeline prints the errors of its attempts inside its own message: there the traceback before is the outer one
// (transformers 4.30 to 5.5, pipelines/base.py).
std::vector<const Raised*> in_order(const Reading& reading) {
  std::vector<const Raised*> order;
  if (reading.chains.empty()) return order;
  std::size_t which = std::min(reading.cause_chain.value_or(reading.chains.size() - 1), reading.chains.size() - 1);
  const auto& raised = reading.chains[which].raised;
  if (raised.empty()) return order;
  add_in_order(reading.chains[which], std::min(reading.cause_exception.value_or(raised.size() - 1), raised.size() - 1),
               order);
  while (which-- > 0 && !reading.chains[which].raised.empty()) {
    const matchers::Chain& before = reading.chains[which];
    if (before.raised.back().message.find("original errors") == std::string::npos) continue;
    add_in_order(before, before.raised.size() - 1, order);
    break;
  }
  return order;
}

bool only_raises(const Frame& frame) {
  if (frame.source.empty()) return false;
  const std::string_view line = stripped(frame.source[current_line(frame)].text);
  return line == "raise" || line.substr(0, 6) == "raise ";
}

std::variant<FoundCall, NoCall> search(const Reading& reading, const ReadSource& read_source, Outside& outside) {
  bool users_own = false;
  for (const Raised* raised : in_order(reading)) {
    for (std::size_t index = raised->frames.size(); index-- > 0;) {
      const Frame& frame = raised->frames[index];
      if (!is_users_own(frame.file) || only_raises(frame)) continue;
      users_own = true;
      const Below under = below(*raised, index);
      auto text = read_source && !frame.file.empty() ? read_source(frame.file) : std::nullopt;
      if (text) {
        if (auto found = from_file(frame, under, std::move(*text))) return std::move(*found);
      } else if (auto found = frame.source.empty() ? from_prompt(frame, *raised, under, outside)
                                                   : from_shown(frame, under, outside)) {
        return std::move(*found);
      }
    }
  }
  if (auto found = only_one_outside(outside.code())) return std::move(*found);
  if (auto found = marked_outside(outside.code())) return std::move(*found);
  if (!users_own) return NoCall{"the text shows no line of the code that failed"};
  return NoCall{"the line of your code in the traceback holds no call that can be read"};
}

// From the frame that shows the call, as notebooks do, else from the rest of the paste.
void add_definitions(FoundCall& found, const Reading& reading, Outside& outside) {
  if (!uses_names(found.text)) return;
  for (const Raised* raised : in_order(reading)) {
    for (const Frame& frame : raised->frames) {
      if (frame.file != found.file || frame.line != found.line || frame.source.size() < 2) continue;
      found.definitions = definitions_of(code_of(frame), found.text);
      if (!found.definitions.empty()) return;
    }
  }
  found.definitions = definitions_of(outside.code(), found.text);
}

}  // namespace

std::variant<FoundCall, NoCall> find_failing_call(const Reading& reading, const ReadSource& read_source) {
  Outside outside(reading);
  auto found = search(reading, read_source, outside);
  if (auto* call = std::get_if<FoundCall>(&found); call != nullptr && !call->script && !reading.failures.empty()) {
    add_definitions(*call, reading, outside);
  }
  // Where the error is not known, this may not be the call that has to change.
  if (auto* call = std::get_if<FoundCall>(&found); call != nullptr && !call->script) {
    call->complete = call->complete && !reading.failures.empty();
  }
  return found;
}

}  // namespace whyfail::fixer
