// The scanner behind read_tokens(). One stack holds what is open: brackets, f-strings, their fields and format
// specifications; its top decides how the next bytes are read.
#include "fixer/call/tokens.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace whyfail::fixer {
namespace {

constexpr std::array<std::string_view, 35> keywords = {
    "False",  "None",     "True", "and",    "as",   "assert",  "async",  "await",  "break", "class",  "continue", "def",
    "del",    "elif",     "else", "except", "for",  "finally", "from",   "global", "if",    "import", "in",       "is",
    "lambda", "nonlocal", "not",  "or",     "pass", "raise",   "return", "try",    "while", "with",   "yield"};

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool is_letter(char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_'; }
bool is_quote(char byte) { return byte == '"' || byte == '\''; }
bool is_line_end(char byte) { return byte == '\n' || byte == '\r'; }

std::string lowered(std::string_view word) {
  std::string lower(word);
  for (char& byte : lower) {
    if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte - 'A' + 'a');
  }
  return lower;
}

// Length of the UTF-8 character at the start of `text` if it can be part of a name; 0: it can't (broken bytes,
// typographic quotes, unusual blanks and other signs that pasted code carries instead of the ASCII ones).
std::size_t name_character(std::string_view text) {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const std::size_t length = byte(0) >= 0xF0 && byte(0) < 0xF5   ? 4
                             : byte(0) >= 0xE0 && byte(0) < 0xF0 ? 3
                             : byte(0) >= 0xC2 && byte(0) < 0xE0 ? 2
                                                                 : 0;
  if (length == 0 || text.size() < length) return 0;
  std::uint32_t code = byte(0) & (0xFFU >> (length + 1));
  for (std::size_t index = 1; index < length; ++index) {
    if ((byte(index) & 0xC0) != 0x80) return 0;
    code = (code << 6) | (byte(index) & 0x3FU);
  }
  const bool latin_sign = code < 0xC0 && code != 0xAA && code != 0xB5 && code != 0xB7 && code != 0xBA;
  const bool punctuation = (code >= 0x2000 && code <= 0x206F && code != 0x203F && code != 0x2040 && code != 0x2054) ||
                           (code >= 0x3000 && code <= 0x3004) || (code >= 0xFF01 && code <= 0xFF0F);
  const bool drawing = code >= 0x2190 && code <= 0x2BFF;  // arrows, boxes, symbols
  return latin_sign || punctuation || drawing || code == 0xFEFF ? 0 : length;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Tokens scan() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
    line_start_ = true;
    while (at_ < text_.size()) {
      if (!open_.empty() && (open_.back().kind == Open::fstring || open_.back().kind == Open::specification)) {
        scan_fstring_text();
      } else {
        scan_token();
      }
    }
    while (!open_.empty()) close_without_partner();
    if (!tokens_.all.empty() && tokens_.all.back().kind != TokenKind::newline) add(TokenKind::newline, at_, at_);
    return std::move(tokens_);
  }

 private:
  struct Open {
    enum Kind { bracket, fstring, field, specification } kind = bracket;
    char closer = 0;  // bracket, field: the closing sign; fstring: the quote
    bool triple = false;
    bool raw = false;
    std::size_t token = 0;
    std::size_t owner = 0;  // field, specification: place in open_ of the f-string around it
  };

  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }
  std::string_view rest() const { return text_.substr(at_); }

  void add(TokenKind kind, std::size_t begin, std::size_t end) {
    tokens_.all.push_back({kind, begin, end, no_token, open_.size()});
    line_start_ = kind == TokenKind::newline;
  }

  void add_error(std::size_t end) {
    add(TokenKind::error, at_, end);
    at_ = end;
  }

  void push(Open::Kind kind, char closer) {
    std::size_t owner = open_.size();
    if (kind == Open::specification || (kind == Open::field && open_.back().kind == Open::specification)) {
      owner = open_.back().owner;
    } else if (kind == Open::field) {
      owner = open_.size() - 1;
    }
    open_.push_back({kind, closer, false, false, tokens_.all.size() - 1, owner});
  }

  // The token that was just added closes the top of the stack.
  void pop_with_partner() {
    const std::size_t opener = open_.back().token;
    open_.pop_back();
    Token& closing = tokens_.all.back();
    closing.partner = opener;
    closing.depth = open_.size();
    tokens_.all[opener].partner = tokens_.all.size() - 1;
  }

  void close_without_partner() {
    tokens_.mismatched = true;
    open_.pop_back();
  }

  std::size_t end_of_line(std::size_t from) const {
    const std::size_t end = text_.find_first_of("\r\n", from);
    return end == std::string_view::npos ? text_.size() : end;
  }

  std::size_t line_end_length(std::size_t position) const {
    if (at(position) == '\r') return at(position + 1) == '\n' ? 2 : 1;
    return at(position) == '\n' ? 1 : 0;
  }

  void scan_token() {
    const char byte = text_[at_];
    if (byte == ' ' || byte == '\t' || byte == '\f') {
      ++at_;
    } else if (is_line_end(byte)) {
      const std::size_t length = line_end_length(at_);
      if (open_.empty() && !line_start_) add(TokenKind::newline, at_, at_ + length);
      at_ += length;
    } else if (byte == '#') {
      scan_comment();
    } else if (byte == '\\' && line_end_length(at_ + 1) > 0) {
      at_ += 1 + line_end_length(at_ + 1);
    } else if (line_start_ && open_.empty() && (byte == '%' || byte == '!' || byte == '?')) {
      scan_shell_line();
    } else if (is_letter(byte) || (static_cast<unsigned char>(byte) >= 0x80 && name_character(rest()) > 0)) {
      scan_name();
    } else if (is_digit(byte) || (byte == '.' && is_digit(at(at_ + 1)))) {
      scan_number();
    } else if (is_quote(byte)) {
      scan_string(at_, "");
    } else {
      scan_operator();
    }
  }

  void scan_comment() {
    const bool own_line = line_start_;
    const std::size_t end = end_of_line(at_);
    add(TokenKind::comment, at_, end);
    line_start_ = own_line;  // a line with nothing but a comment is no logical line
    at_ = end;
  }

  // IPython's "%magic", "!command" and "?help" lines: nothing in them is Python.
  void scan_shell_line() {
    std::size_t end = end_of_line(at_);
    while (end > at_ && text_[end - 1] == '\\' && line_end_length(end) > 0)
      end = end_of_line(end + line_end_length(end));
    add_error(end);
  }

  void scan_name() {
    std::size_t end = at_;
    while (end < text_.size()) {
      if (is_letter(text_[end]) || is_digit(text_[end])) {
        ++end;
      } else if (static_cast<unsigned char>(text_[end]) >= 0x80) {
        const std::size_t length = name_character(text_.substr(end));
        if (length == 0) break;
        end += length;
      } else {
        break;
      }
    }
    if (is_quote(at(end)) && end - at_ <= 2) {
      const std::string prefix = lowered(text_.substr(at_, end - at_));
      constexpr std::array<std::string_view, 11> prefixes = {"r",  "u",  "b", "br", "rb", "f",
                                                             "fr", "rf", "t", "tr", "rt"};
      if (std::find(prefixes.begin(), prefixes.end(), prefix) != prefixes.end()) return scan_string(end, prefix);
    }
    add(TokenKind::name, at_, end);
    at_ = end;
  }

  void scan_number() {
    std::size_t end = at_;
    const auto digits = [&](auto accepts) {
      while (accepts(at(end)) || (at(end) == '_' && accepts(at(end + 1)))) ++end;
    };
    const char kind = static_cast<char>(at(at_ + 1) | 0x20);
    if (text_[at_] == '0' && (kind == 'x' || kind == 'o' || kind == 'b')) {
      end += 2;
      digits([&](char c) {
        if (kind == 'x') return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
        return c >= '0' && c <= (kind == 'o' ? '7' : '1');
      });
    } else {
      digits(is_digit);
      if (at(end) == '.') {
        ++end;
        digits(is_digit);
      }
      const bool signed_exponent = at(end + 1) == '+' || at(end + 1) == '-';
      if ((at(end) | 0x20) == 'e' && is_digit(at(end + (signed_exponent ? 2 : 1)))) {
        end += signed_exponent ? 2 : 1;
        digits(is_digit);
      }
      if ((at(end) | 0x20) == 'j') ++end;
    }
    add(TokenKind::number, at_, end);
    at_ = end;
  }

  void scan_string(std::size_t quote_at, std::string_view prefix) {
    const char quote = text_[quote_at];
    const bool triple = at(quote_at + 1) == quote && at(quote_at + 2) == quote;
    const bool raw = prefix.find('r') != std::string_view::npos;
    std::size_t end = quote_at + (triple ? 3 : 1);
    if (prefix.find_first_of("ft") != std::string_view::npos) {
      add(TokenKind::fstring_begin, at_, end);
      push(Open::fstring, quote);
      open_.back().triple = triple;
      open_.back().raw = raw;
      at_ = end;
      return;
    }
    while (end < text_.size()) {
      const char byte = text_[end];
      if (byte == '\\') {
        end += 1 + std::max<std::size_t>(1, line_end_length(end + 1));
      } else if (byte == quote && (!triple || (at(end + 1) == quote && at(end + 2) == quote))) {
        end += triple ? 3 : 1;
        add(TokenKind::string, at_, end);
        at_ = end;
        return;
      } else if (!triple && is_line_end(byte)) {
        break;
      } else {
        ++end;
      }
    }
    add_error(std::min(end, text_.size()));  // unterminated
  }

  // Literal text of an f-string or of a format specification, up to a field, the end, or the closing quote.
  void scan_fstring_text() {
    const Open& top = open_.back();
    const bool specification = top.kind == Open::specification;
    const Open& string = open_[top.owner];
    std::size_t end = at_;
    while (end < text_.size()) {
      const char byte = text_[end];
      if (byte == string.closer && (!string.triple || (at(end + 1) == byte && at(end + 2) == byte))) break;
      if (is_line_end(byte) && !string.triple) break;
      if (byte == '{' && (specification || at(end + 1) != '{')) break;
      if (byte == '}' && (specification || at(end + 1) != '}')) break;
      if (byte == '\\') {
        end = end_of_escape(end, string.raw);
      } else {
        end += (byte == '{' || byte == '}') ? 2 : 1;
      }
    }
    end = std::min(end, text_.size());
    if (end > at_) {
      add(TokenKind::fstring_text, at_, end);
      at_ = end;
    }
    if (at_ < text_.size()) end_fstring_text(specification);
  }

  void end_fstring_text(bool specification) {
    const char byte = text_[at_];
    if (byte == '{') {
      add(TokenKind::op, at_, at_ + 1);
      push(Open::field, '}');
      ++at_;
    } else if (byte == '}' && specification) {
      open_.pop_back();
      close_bracket('}');
    } else if (byte == '}') {
      tokens_.mismatched = true;
      add_error(at_ + 1);
    } else if (specification) {  // the string ends, or its line does, inside a field
      open_.pop_back();
      close_without_partner();
    } else if (is_line_end(byte)) {
      add(TokenKind::error, at_, at_);
      close_without_partner();
    } else {
      const std::size_t length = open_.back().triple ? 3 : 1;
      add(TokenKind::fstring_end, at_, at_ + length);
      pop_with_partner();
      at_ += length;
    }
  }

  std::size_t end_of_escape(std::size_t backslash, bool raw) const {
    const char next = at(backslash + 1);
    if (next == '{' || next == '}') return backslash + 1;
    if (!raw && next == 'N' && at(backslash + 2) == '{') {
      std::size_t end = backslash + 3;
      while (end < text_.size() && text_[end] != '}' && !is_quote(text_[end]) && !is_line_end(text_[end])) ++end;
      return at(end) == '}' ? end + 1 : end;
    }
    return backslash + 1 + std::max<std::size_t>(1, line_end_length(backslash + 1));
  }

  void scan_operator() {
    const char byte = text_[at_];
    const bool in_field = !open_.empty() && open_.back().kind == Open::field;
    if (in_field && byte == ':') return begin_specification();
    if (in_field && byte == '!' && at(at_ + 1) != '=') {
      std::size_t end = at_ + 1;
      while (is_letter(at(end))) ++end;
      add(TokenKind::fstring_text, at_, end);
      at_ = end;
      return;
    }
    if (byte == '(' || byte == '[' || byte == '{') {
      add(TokenKind::op, at_, at_ + 1);
      push(Open::bracket, byte == '(' ? ')' : byte == '[' ? ']' : '}');
      ++at_;
      return;
    }
    if (byte == ')' || byte == ']' || byte == '}') return close_bracket(byte);
    const std::size_t length = operator_length();
    if (length == 0) return add_error(at_ + 1);
    add(TokenKind::op, at_, at_ + length);
    at_ += length;
  }

  void begin_specification() {
    add(TokenKind::fstring_text, at_, at_ + 1);
    push(Open::specification, '}');
    ++at_;
  }

  void close_bracket(char closer) {
    add(TokenKind::op, at_, at_ + 1);
    ++at_;
    // An f-string keeps its fields together: a bracket inside one can't close what stands outside.
    while (!open_.empty() && open_.back().kind == Open::bracket && open_.back().closer != closer)
      close_without_partner();
    if (!open_.empty() && open_.back().closer == closer &&
        (open_.back().kind == Open::bracket || open_.back().kind == Open::field)) {
      pop_with_partner();
    } else {
      tokens_.mismatched = true;
      tokens_.all.back().kind = TokenKind::error;
    }
  }

  std::size_t operator_length() const {
    constexpr std::array<std::string_view, 5> three = {"**=", "//=", ">>=", "<<=", "..."};
    constexpr std::array<std::string_view, 20> two = {"**", "//", ">>", "<<", "!=", "==", "<=", ">=", "->", ":=",
                                                      "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", "<>"};
    constexpr std::string_view one = "+-*/%@&|^~<>.,:;=";
    if (std::find(three.begin(), three.end(), rest().substr(0, 3)) != three.end()) return 3;
    if (std::find(two.begin(), two.end(), rest().substr(0, 2)) != two.end()) return 2;
    return one.find(text_[at_]) != std::string_view::npos ? 1 : 0;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_start_ = true;  // no token yet on this logical line
  std::vector<Open> open_;
  Tokens tokens_;
};

}  // namespace

Tokens read_tokens(std::string_view text) { return Scanner(text).scan(); }

bool is_keyword(std::string_view name) { return std::find(keywords.begin(), keywords.end(), name) != keywords.end(); }

bool is_name_byte(char byte) { return is_letter(byte) || is_digit(byte) || static_cast<unsigned char>(byte) >= 0x80; }

}  // namespace whyfail::fixer
