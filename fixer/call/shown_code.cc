// Reads statements out of shown lines one at a time, so that prose or a cut line next to them does no harm.
#include "fixer/call/shown_code.h"

#include <algorithm>
#include <array>

#include "fixer/call/loading_calls.h"
#include "fixer/call/syntax.h"

namespace whyfail::fixer {
namespace {

constexpr std::size_t longest_statement = 120;  // lines
constexpr std::size_t most_steps = 400;         // lines that a search looks at

// Length of ">>> ", "... ", "In [3]: ", "   ...: " at the start of a line; 0: none.
std::size_t prompt_length(std::string_view line) {
  for (const std::string_view prompt : {">>> ", "... "}) {
    if (line.substr(0, prompt.size()) == prompt) return prompt.size();
  }
  if (line == ">>>" || line == "...") return 3;
  std::size_t begin = 0;
  while (begin < line.size() && line[begin] == ' ') ++begin;
  if (line.substr(begin, 5) == "...: ") return begin + 5;
  if (line.substr(0, 4) != "In [") return 0;
  std::size_t end = 4;
  while (end < line.size() && line[end] >= '0' && line[end] <= '9') ++end;
  return end > 4 && line.substr(end, 3) == "]: " ? end + 3 : 0;
}

// Length of "❱ 3 ", "---> 3 ", "> 3 " at the start of a line; 0: none.
std::size_t mark_length(std::string_view line) {
  std::size_t at = 0;
  if (line.substr(0, 3) == "❱") {
    at = 3;
  } else {
    while (at < line.size() && line[at] == '-') ++at;
    if (at >= line.size() || line[at] != '>') return 0;
    ++at;
  }
  const std::size_t digits = line.find_first_not_of(' ', at);
  if (digits == std::string_view::npos || digits == at) return 0;
  const std::size_t end = line.find_first_not_of("0123456789", digits);
  return end != std::string_view::npos && end > digits && line[end] == ' ' ? end + 1 : 0;
}

void add_line(ShownCode& code, std::string_view line, std::uint64_t place) {
  const std::size_t mark = mark_length(line);
  code.lines.emplace_back(line.substr(mark > 0 ? mark : prompt_length(line)));
  code.places.push_back(place);
  code.prompted.push_back(line.substr(0, 4) == ">>> " || (line.substr(0, 4) == "In [" && prompt_length(line) > 0));
  code.numbered.push_back(false);
  code.marked.push_back(mark > 0);
}

bool is_fence(std::string_view line) {
  const std::string_view text = stripped(line);
  return text.substr(0, 3) == "```" || text.substr(0, 3) == "~~~";
}

// Bytes of the paste that tracebacks take, in order.
std::vector<matchers::Span> traceback_spans(const matchers::Reading& reading) {
  std::vector<matchers::Span> spans;
  for (const matchers::Chain& chain : reading.chains) {
    for (const matchers::Raised& raised : chain.raised) {
      if (!raised.frames.empty()) spans.push_back(raised.where);
    }
  }
  std::sort(spans.begin(), spans.end(), [](const auto& left, const auto& right) { return left.begin < right.begin; });
  return spans;
}

// "name = …", "name: Type = …", "self.name = …": where the value starts; npos: the line assigns something else.
std::size_t value_after(std::string_view line, std::string_view name) {
  std::size_t at = line.size() - stripped(line).size();
  while (!stripped(line).empty() && at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
  at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos || line.substr(at, name.size()) != name) return std::string_view::npos;
  at += name.size();
  const std::size_t sign = line.find_first_not_of(" \t", at);
  if (sign == std::string_view::npos) return sign;
  if (line[sign] == ':') {
    const std::size_t equal = line.find('=', sign);
    return equal == std::string_view::npos ? equal : equal + 1;
  }
  const bool assigns = line[sign] == '=' && line.substr(sign, 2) != "==";
  return assigns ? sign + 1 : std::string_view::npos;
}

// "X.from_pretrained(…).half()": the conversion, not the loading call, made what the name holds.
bool converts(const Call& whole, const Call& made, const Script& script) {
  const std::string_view chain =
      std::string_view(script.text()).substr(made.range.end, whole.range.end - made.range.end);
  return made.range.begin == whole.range.begin &&
         (chain.find(".half(") != std::string_view::npos || chain.find(".float(") != std::string_view::npos ||
          chain.find(".bfloat16(") != std::string_view::npos);
}

}  // namespace

std::string_view stripped(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\f");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n\f") - first + 1);
}

ShownCode code_of(const matchers::Frame& frame) {
  ShownCode code;
  for (const matchers::SourceLine& line : frame.source) {
    add_line(code, line.text, line.where.begin);
    code.numbered.back() = line.number > 0;
  }
  return code;
}

ShownCode code_outside_tracebacks(const matchers::Reading& reading) {
  ShownCode code;
  const auto spans = traceback_spans(reading);
  for (const matchers::CleanText& island : reading.islands) {
    const std::string& text = island.text();
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::uint64_t place = island.origin(begin, std::max(end, begin + 1)).begin;
      const auto after = std::upper_bound(spans.begin(), spans.end(), place,
                                          [](std::uint64_t at, const matchers::Span& span) { return at < span.begin; });
      const bool inside = after != spans.begin() && place < std::prev(after)->end;
      add_line(code, inside ? std::string_view() : std::string_view(text).substr(begin, end - begin), place);
      begin = end + 1;
    }
    add_line(code, "", 0);
  }
  return code;
}

std::optional<ReadLine> read_line(const ShownCode& code, std::size_t line) {
  if (line >= code.lines.size() || stripped(code.lines[line]).empty()) return std::nullopt;
  std::string text;
  const std::size_t last = std::min(code.lines.size(), line + longest_statement);
  for (std::size_t index = line; index < last && !is_fence(code.lines[index]); ++index)
    text += code.lines[index] + "\n";
  ReadLine read{Script::read(std::move(text)), {}, 1, false};
  const Script::Parts& parts = read.script.parts();
  if (parts.statements.empty()) return std::nullopt;
  const std::size_t line_begin = parts.statements.front().line_begin;
  std::size_t end = 0;
  read.whole = true;
  for (const Statement& statement : parts.statements) {
    if (statement.line_begin != line_begin) break;
    end = statement.range.end;
    if (statement.kind == Statement::Kind::opaque) read.whole = false;
  }
  read.lines = static_cast<std::size_t>(parts.line_of(end));
  for (Call& call : read.script.calls()) {
    if (call.range.begin < end) read.calls.push_back(std::move(call));
  }
  return read;
}

std::optional<ReadLine> read_line_around(const ShownCode& code, std::size_t line) {
  constexpr std::size_t farthest = 60;
  std::optional<ReadLine> cut;
  for (std::size_t start = line + 1; start-- > 0 && line - start <= farthest;) {
    auto read = read_line(code, start);
    if (!read || start + read->lines <= line) continue;
    const bool readable =
        std::any_of(read->calls.begin(), read->calls.end(), [](const Call& call) { return call.complete; });
    if (read->whole && readable) return read;
    if (!cut && !read->calls.empty()) cut = std::move(read);
  }
  return cut;
}

std::optional<Assigned> loaded_into(const ShownCode& code, std::string_view name, std::size_t line) {
  std::size_t steps = 0;
  for (std::size_t index = std::min(line, code.lines.size()); index-- > 0 && ++steps <= most_steps;) {
    const std::string_view text = code.lines[index];
    if (value_after(text, name) == std::string_view::npos) continue;
    auto read = read_line(code, index);
    if (!read) return std::nullopt;
    for (const Call& call : read->calls) {
      auto made = loading_call_of(read->script, call.range);
      if (made && converts(call, *made, read->script)) return std::nullopt;
      if (!made) continue;
      return Assigned{std::move(read->script), std::move(*made)};
    }
    // "model = model.eval()" hands on what an earlier line made; anything else made the object in a way that is not
    // seen.
    const std::string_view value = stripped(text.substr(value_after(text, name)));
    const bool hands_on = value.substr(0, name.size()) == name && value.substr(name.size(), 1) == ".";
    if (!hands_on) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace whyfail::fixer
