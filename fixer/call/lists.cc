// Where a list is written one item a line, an item comes and goes with its line; else it comes and goes inside the
// line.
#include "fixer/call/lists.h"

#include <algorithm>

namespace whyfail::fixer {
namespace {

using Parts = Script::Parts;

bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\f'; }
bool is_line_end(char byte) { return byte == '\n' || byte == '\r'; }

std::size_t begin_of(const Parts& parts, const ListItem& item) { return parts.token(item.tokens.first).begin; }
std::size_t end_of(const Parts& parts, const ListItem& item) { return parts.token(item.tokens.last - 1).end; }

std::size_t end_with_comma(const Parts& parts, const ListItem& item) {
  return item.comma != no_token ? parts.token(item.comma).end : end_of(parts, item);
}

// Past the line end if nothing but blanks and a comment stands between; nullopt: something does.
std::optional<std::size_t> past_line(const Parts& parts, std::size_t position) {
  std::size_t end = past_comment(parts, position);
  while (end < parts.text.size() && is_blank(parts.text[end])) ++end;
  if (end == parts.text.size() || !is_line_end(parts.text[end])) return std::nullopt;
  return end + (parts.text.compare(end, 2, "\r\n") == 0 ? 2 : 1);
}

bool comment_between(const Parts& parts, std::size_t first, std::size_t last) {
  for (std::size_t index = first; index < last; ++index) {
    if (parts.token(index).kind == TokenKind::comment) return true;
  }
  return false;
}

}  // namespace

WrittenList list_of_call(const CallNode& call) {
  WrittenList list{call.open, call.close, {}};
  for (const ArgumentNode& argument : call.arguments) list.items.push_back({argument.tokens, argument.comma});
  return list;
}

WrittenList list_in_brackets(const Parts& parts, std::size_t open) {
  WrittenList list{open, parts.token(open).partner, {}};
  std::size_t first = open + 1;
  const auto add = [&](std::size_t last, std::size_t comma) {
    while (first < last && parts.token(first).kind == TokenKind::comment) ++first;
    std::size_t end = last;
    while (first < end && parts.token(end - 1).kind == TokenKind::comment) --end;
    if (first < end) list.items.push_back({{first, end}, comma});
    first = last + 1;
  };
  if (list.close == no_token) return list;
  for (std::size_t index = open + 1; index < list.close; index = parts.after(index, list.close)) {
    if (parts.is(index, ",")) add(index, index);
  }
  add(list.close, no_token);
  return list;
}

std::string line_ending(const Parts& parts) {
  const std::size_t end = parts.text.find_first_of("\r\n");
  if (end == std::string::npos) return "\n";
  return parts.text.compare(end, 2, "\r\n") == 0 ? "\r\n" : std::string(1, parts.text[end]);
}

std::optional<std::string> indentation_of(const Parts& parts, std::size_t token) {
  const std::size_t end = parts.token(token).begin;
  std::size_t begin = end;
  while (begin > 0 && is_blank(parts.text[begin - 1])) --begin;
  if (begin > 0 && !is_line_end(parts.text[begin - 1])) return std::nullopt;
  return parts.text.substr(begin, end - begin);
}

std::size_t past_comment(const Parts& parts, std::size_t position) {
  std::size_t begin = position;
  while (begin < parts.text.size() && is_blank(parts.text[begin])) ++begin;
  if (begin == parts.text.size() || parts.text[begin] != '#') return position;
  return std::min(parts.text.size(), parts.text.find_first_of("\r\n", begin));
}

std::vector<Edit> insert_item(const Parts& parts, const WrittenList& list, std::size_t before, std::string_view text) {
  const std::string item(text);
  if (list.items.empty()) {
    const std::size_t at = parts.token(list.open).end;
    return {{{at, at}, item}};
  }
  if (before < list.items.size()) {
    const std::size_t next = list.items[before].tokens.first;
    const auto indent = indentation_of(parts, next);
    const std::size_t at = parts.token(next).begin;
    return {{{at, at}, item + "," + (indent ? line_ending(parts) + *indent : " ")}};
  }
  const ListItem& last = list.items.back();
  const auto indent = indentation_of(parts, last.tokens.first);
  const std::size_t end = end_of(parts, last);
  if (!indent) return {{{end, end}, ", " + item}};
  const std::string line = line_ending(parts) + *indent + item;
  const std::size_t after = past_comment(parts, end_with_comma(parts, last));
  if (last.comma != no_token) return {{{after, after}, line + ","}};
  if (after == end) return {{{end, end}, "," + line}};
  return {{{end, end}, ","}, {{after, after}, line}};
}

std::vector<Edit> remove_item(const Parts& parts, const WrittenList& list, std::size_t which) {
  const ListItem& item = list.items[which];
  const bool last = which + 1 == list.items.size();
  const ListItem* previous = which > 0 ? &list.items[which - 1] : nullptr;
  const std::size_t begin = begin_of(parts, item);
  const std::size_t end = end_with_comma(parts, item);
  const auto indent = indentation_of(parts, item.tokens.first);
  const auto next_line = past_line(parts, end);
  if (indent && next_line) {
    std::vector<Edit> edits = {{{begin - indent->size(), *next_line}, ""}};
    const bool comma_stays = item.comma != no_token || previous == nullptr;
    if (!comma_stays) edits.insert(edits.begin(), {parts.bytes({previous->comma, previous->comma + 1}), ""});
    return edits;
  }
  if (last && item.comma == no_token && previous != nullptr) {
    if (!comment_between(parts, previous->comma, item.tokens.first)) return {{{end_of(parts, *previous), end}, ""}};
    return {{parts.bytes({previous->comma, previous->comma + 1}), ""}, {{begin, end}, ""}};
  }
  if (!last && !(previous != nullptr && !indent && next_line)) {
    const bool comment = comment_between(parts, item.comma, list.items[which + 1].tokens.first);
    return {{{begin, comment ? end : begin_of(parts, list.items[which + 1])}, ""}};
  }
  if (previous == nullptr) return {{{begin, end}, ""}};
  if (comment_between(parts, previous->comma, item.tokens.first)) return {{{begin, end}, ""}};
  return {{{parts.token(previous->comma).end, end}, ""}};
}

std::string in_quotes_of(const Parts& parts, TextRange range, std::string_view value) {
  const auto single_minus_double = [&](TextRange where) {
    long balance = 0;
    const TokenRange tokens = parts.token_range(where);
    for (std::size_t index = tokens.first; index < tokens.last; ++index) {
      if (parts.token(index).kind != TokenKind::string) continue;
      const std::string_view word = parts.word(index);
      if (word.find("\"\"\"") == std::string_view::npos) balance += word.back() == '\'' ? 1 : -1;
    }
    return balance;
  };
  long balance = single_minus_double(range);
  if (balance == 0) balance = single_minus_double({0, parts.text.size()});
  const char wanted = balance > 0 ? '\'' : '"';
  std::string changed(value);
  for (const Token& token : read_tokens(value).all) {
    if (token.kind != TokenKind::string) continue;
    const std::string_view word = value.substr(token.begin, token.end - token.begin);
    const std::string_view body = word.substr(1, word.size() - 2);
    const bool plain = (word[0] == '\'' || word[0] == '"') && body.find_first_of("'\"\\") == std::string_view::npos;
    if (plain) changed[token.begin] = changed[token.end - 1] = wanted;
  }
  return changed;
}

bool inside_fstring(const Parts& parts, std::size_t token) {
  const std::size_t statement = parts.statement_of(token);
  std::size_t index = statement == nowhere ? 0 : parts.statements[statement].tokens.first;
  for (; index < token; ++index) {
    const Token& one = parts.token(index);
    if (one.kind == TokenKind::fstring_begin && (one.partner == no_token || one.partner > token)) return true;
  }
  return false;
}

}  // namespace whyfail::fixer
