// Text inside JSON: notebooks, terminal recordings (asciicast), log records of one line.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "matchers/clean_escapes.h"
#include "matchers/clean_steps.h"
#include "matchers/source_code.h"
#include "matchers/text_lines.h"

namespace whyfail::matchers {
namespace {

// The inside of a string literal: bytes [begin, end) of the text, without the quotes.
struct Literal {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// `at` is an opening quote. A literal does not span lines.
std::optional<Literal> literal_at(std::string_view text, std::size_t at) {
  for (std::size_t end = at + 1; end < text.size() && text[end] != '\n'; ++end) {
    if (text[end] == '"') return Literal{at + 1, end};
    if (text[end] == '\\') ++end;
  }
  return std::nullopt;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && (is_blank(text[at]) || text[at] == '\n')) ++at;
  return at;
}

void end_line(CleanText& out, const CleanText& text, std::size_t at) {
  if (!out.text().empty() && out.text().back() != '\n') out.replace("\n", text, at, at + 1);
}

// --- notebooks (nbformat 4) -----------------------------------------------------------------------------------------

bool is_notebook(std::string_view text) {
  if (!contains(text, "\"output_type\"") && !contains(text, "\"cell_type\"")) return false;
  return contains(text, "\"source\":") || contains(text, "\"traceback\":");
}

bool holds_text(std::string_view key) {
  constexpr std::array<std::string_view, 4> kKeys = {"source", "text", "traceback", "text/plain"};
  for (const std::string_view known : kKeys) {
    if (key == known) return true;
  }
  return false;
}

// The value at `at`, a string or a list of strings, as lines. Returns where it ends.
std::size_t append_value(CleanText& out, const CleanText& text, std::size_t at, bool one_a_line) {
  const std::string_view bytes = text.text();
  const bool list = at < bytes.size() && bytes[at] == '[';
  if (list) at = skip_blanks(bytes, at + 1);
  while (at < bytes.size() && bytes[at] == '"') {
    const auto literal = literal_at(bytes, at);
    if (!literal) return at + 1;
    append_unescaped(out, text, literal->begin, literal->end);
    if (one_a_line) {
      const bool empty = literal->begin == literal->end;
      if (empty) out.replace("\n", text, literal->begin, literal->end + 1);
      end_line(out, text, literal->end);
    }
    at = literal->end + 1;
    if (!list) break;
    at = skip_blanks(bytes, at);
    if (at < bytes.size() && bytes[at] == ',') at = skip_blanks(bytes, at + 1);
  }
  end_line(out, text, at < bytes.size() ? at : bytes.size() - 1);
  return at;
}

CleanText notebook_text(const CleanText& text) {
  const std::string_view bytes = text.text();
  CleanText out;
  out.take_lines(text);
  for (std::size_t at = bytes.find('"'); at != std::string_view::npos; at = bytes.find('"', at)) {
    const auto literal = literal_at(bytes, at);
    if (!literal) {
      const std::size_t next_line = bytes.find('\n', at);
      if (next_line == std::string_view::npos) break;
      at = next_line;
      continue;
    }
    at = literal->end + 1;
    const std::string_view key = bytes.substr(literal->begin, literal->end - literal->begin);
    const std::size_t colon = skip_blanks(bytes, at);
    if (!holds_text(key) || colon >= bytes.size() || bytes[colon] != ':') continue;
    const std::size_t value = skip_blanks(bytes, colon + 1);
    const std::size_t before = out.text().size();
    at = append_value(out, text, value, key == "traceback");
    if (out.text().size() > before) out.replace("\n", text, value, value + 1);
  }
  return out;
}

// --- terminal recordings (asciicast 2 and 3) ------------------------------------------------------------------------

// [0.639, "o", "text"]: the literal of the text.
struct Event {
  char kind = 0;
  Literal text;
};

std::optional<Event> event_of(std::string_view bytes, const Line& line) {
  if (!line.text.starts_with("[") || line.text.size() < 10) return std::nullopt;
  std::size_t at = 1;
  while (at < line.text.size() && (is_digit(line.text[at]) || line.text[at] == '.' || line.text[at] == ' ')) ++at;
  if (at == 1 || line.text[at] != ',') return std::nullopt;
  const std::size_t kind = skip_blanks(line.text, at + 1);
  if (kind + 3 >= line.text.size() || line.text[kind] != '"' || line.text[kind + 2] != '"') return std::nullopt;
  const std::size_t quote = line.text.find('"', kind + 3);
  if (quote == std::string_view::npos) return std::nullopt;
  const auto literal = literal_at(bytes, line.begin + quote);
  return literal ? std::optional(Event{line.text[kind + 1], *literal}) : std::nullopt;
}

CleanText without_recording(const CleanText& text) {
  const std::vector<Line> lines = lines_of(text.text());
  CleanText out;
  out.take_lines(text);
  bool any = false;
  for (const Line& line : lines) {
    const auto event = event_of(text.text(), line);
    if (!event) {
      if (!line.text.starts_with("{\"version\":")) out.take(text, line.begin, line.end + 1);
      continue;
    }
    any = true;
    if (event->kind == 'o') append_unescaped(out, text, event->text.begin, event->text.end);
  }
  if (!any) return text;
  end_line(out, text, text.text().size() - 1);
  return out;
}

// --- log records ----------------------------------------------------------------------------------------------------

constexpr std::size_t kShortValue = 40;

bool spans_lines(std::string_view literal) {
  const std::size_t at = literal.find("\\n");
  return at != std::string_view::npos && at + 2 < literal.size();
}

// The key under which a record has the line that was written.
constexpr std::array<std::string_view, 10> kLineKeys = {"log",  "message", "msg",      "textPayload", "text",
                                                        "line", "MESSAGE", "@message", "event",       "body"};

bool is_line_key(std::string_view key) {
  for (const std::string_view known : kLineKeys) {
    if (key == known) return true;
  }
  return false;
}

bool is_record(std::string_view line) {
  const std::string_view text = trim(line);
  const std::size_t open = text.find("{\"");
  if (open == std::string_view::npos || open > 200 || text.substr(0, open).ends_with(" = ")) return false;
  return (text.ends_with("}") || text.ends_with("},")) && contains(text, "\":");
}

// "key": "Traceback …\n…": a record set over several lines, or a fragment of one.
bool is_member(std::string_view line) {
  const std::string_view text = trim(line);
  return text.starts_with("\"") && contains(text, "\": \"") &&
         (contains(text, "\\n  File ") || contains(text, "(most recent call last)") || contains(text, "\\nE   "));
}

struct Member {
  Literal key;
  Literal value;
};

// The members of a record whose values are strings, nested ones too.
std::vector<Member> members_of(std::string_view bytes, const Line& line) {
  std::vector<Member> members;
  std::optional<Literal> key;
  for (std::size_t at = bytes.find('"', line.begin); at < line.end; at = bytes.find('"', at)) {
    const auto literal = literal_at(bytes, at);
    if (!literal || literal->end > line.end) break;
    at = literal->end + 1;
    const std::size_t next = skip_blanks(bytes, at);
    if (next < line.end && bytes[next] == ':') {
      key = literal;
    } else if (key) {
      members.push_back({*key, *literal});
      key.reset();
    }
  }
  return members;
}

void append_lines(CleanText& out, const CleanText& text, const Literal& value) {
  end_line(out, text, value.begin - 1);
  append_unescaped(out, text, value.begin, value.end);
  end_line(out, text, value.end);
  // What follows in the record is no part of a message that ends here.
  const std::string_view shown = std::string_view(text.text()).substr(value.begin, value.end - value.begin);
  if (spans_lines(shown)) out.replace("\n", text, value.end, value.end + 1);
}

// A record that has the line that was written: that line, and what else is a sentence.
void append_written(CleanText& out, const CleanText& text, const std::vector<Member>& members) {
  const std::string_view bytes = text.text();
  for (const Member& member : members) {
    const std::string_view key = bytes.substr(member.key.begin, member.key.end - member.key.begin);
    const std::string_view value = bytes.substr(member.value.begin, member.value.end - member.value.begin);
    const bool sentence = contains(value, " ") && !is_digit(value.front()) && !is_blank(value.front());
    if (is_line_key(key) || sentence || spans_lines(value) || value.size() >= kShortValue) {
      append_lines(out, text, member.value);
    }
  }
}

// Another record: long values that report something and those that span lines get lines of their own; the rest stays on
// one.
void append_record(CleanText& out, const CleanText& text, const Line& line, const std::vector<Member>& members) {
  const std::string_view bytes = text.text();
  std::size_t kept = line.begin;
  for (const Member& member : members) {
    const std::string_view value = bytes.substr(member.value.begin, member.value.end - member.value.begin);
    const bool report = names_report(bytes.substr(member.key.begin, member.key.end - member.key.begin));
    if (!spans_lines(value) && (value.size() < kShortValue || !report)) continue;
    out.take(text, kept, member.value.begin - 1);
    append_lines(out, text, member.value);
    kept = member.value.end + 1;
  }
  out.take(text, kept, line.end + 1);
}

CleanText without_records(CleanText text) {
  CleanText out;
  out.take_lines(text);
  std::size_t kept = 0;
  for (const Line& line : lines_of(text.text())) {
    const bool record = is_record(line.text);
    if (!record && !is_member(line.text)) continue;
    out.take(text, kept, line.begin);
    kept = line.end + 1;
    const std::vector<Member> members = members_of(text.text(), line);
    const bool written =
        record && std::any_of(members.begin(), members.end(), [&](const Member& member) {
          return is_line_key(std::string_view(text.text()).substr(member.key.begin, member.key.end - member.key.begin));
        });
    if (written) {
      append_written(out, text, members);
    } else {
      append_record(out, text, line, members);
    }
  }
  if (kept == 0) return text;
  out.take(text, kept, text.text().size());
  return out;
}

}  // namespace

CleanText without_json(CleanText text) {
  if (!contains(text.text(), "\"")) return text;
  if (is_notebook(text.text())) {
    CleanText notebook = notebook_text(text);
    if (!notebook.text().empty()) return notebook;
  }
  if (contains(text.text(), ", \"o\", \"")) return without_recording(text);
  return contains(text.text(), "\":") ? without_records(std::move(text)) : text;
}

}  // namespace whyfail::matchers
