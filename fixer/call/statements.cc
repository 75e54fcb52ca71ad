// Logical lines, the statements on them, and the blocks and scopes that indentation and headers make.
#include <algorithm>
#include <array>

#include "fixer/call/syntax.h"

namespace whyfail::fixer {
namespace {

using Parts = Script::Parts;

constexpr std::size_t deepest_block = 100;  // as in CPython (Parser/lexer/state.h, MAXINDENT)
constexpr std::array<std::string_view, 12> header_words = {"if",     "elif",    "else", "for", "while", "try",
                                                           "except", "finally", "with", "def", "class", "case"};

class StatementReader {
 public:
  explicit StatementReader(Parts& parts) : parts_(parts) {}

  void read() {
    parts_.scopes.push_back({});
    blocks_.push_back({0, nowhere});
    const std::size_t count = parts_.tokens.all.size();
    for (std::size_t first = 0; first < count;) {
      std::size_t end = first;
      while (end < count && parts_.token(end).kind != TokenKind::newline) ++end;
      TokenRange line{first, end};
      first = end + 1;
      while (!line.empty() && parts_.token(line.first).kind == TokenKind::comment) ++line.first;
      while (!line.empty() && parts_.token(line.last - 1).kind == TokenKind::comment) --line.last;
      if (!line.empty()) read_line(line);
    }
  }

 private:
  struct Block {
    std::size_t width;
    std::size_t header;
  };

  void read_line(TokenRange line) {
    const std::size_t begin = parts_.token(line.first).begin;
    const std::size_t width = enter_block(begin);
    line_begin_ = begin_of_line(begin);
    if (!readable(line)) return add(Statement::Kind::opaque, line, false);
    const std::size_t word = word_at(line);
    if (!starts_header(line, word)) return add_simple(line, false);
    const std::size_t colon = header_colon(line, word);
    if (colon == no_token) return add(Statement::Kind::opaque, line, false);
    const bool body_follows = colon + 1 < line.last;
    add(Statement::Kind::header, {line.first, colon + 1}, body_follows);
    open_scope(word);
    if (body_follows) {
      blocks_.push_back({width, parts_.statements.size() - 1});
      add_simple({colon + 1, line.last}, true);
      blocks_.pop_back();
    } else {
      pending_header_ = parts_.statements.size() - 1;
      pending_width_ = width;
    }
  }

  std::size_t begin_of_line(std::size_t position) const {
    const std::string& text = parts_.text;
    while (position > 0 && (text[position - 1] == ' ' || text[position - 1] == '\t' || text[position - 1] == '\f'))
      --position;
    return position;
  }

  // Python's rule: a tab goes to the next multiple of eight, a form feed starts anew.
  std::size_t width_before(std::size_t position) const {
    std::size_t width = 0;
    for (std::size_t index = begin_of_line(position); index < position; ++index) {
      const char byte = parts_.text[index];
      width = byte == '\t' ? (width / 8 + 1) * 8 : byte == '\f' ? 0 : width + 1;
    }
    return width;
  }

  // Leaves the blocks that end before a line that starts at `position`, and enters the one that a header promised.
  std::size_t enter_block(std::size_t position) {
    const std::size_t width = width_before(position);
    if (pending_header_ != nowhere && width > pending_width_ && blocks_.size() <= deepest_block) {
      blocks_.push_back({width, pending_header_});
    }
    pending_header_ = nowhere;
    while (blocks_.size() > 1 && blocks_.back().width > width) blocks_.pop_back();
    return width;
  }

  bool readable(TokenRange line) const {
    for (std::size_t index = line.first; index < line.last; ++index) {
      const Token& token = parts_.token(index);
      if (token.kind == TokenKind::error) return false;
      const bool paired = token.kind == TokenKind::fstring_begin || token.kind == TokenKind::fstring_end ||
                          (token.kind == TokenKind::op && is_bracket(index));
      if (paired && token.partner == no_token) return false;
    }
    return true;
  }

  bool is_bracket(std::size_t index) const {
    const std::string_view sign = parts_.word(index);
    return sign.size() == 1 && std::string_view("()[]{}").find(sign[0]) != std::string_view::npos;
  }

  // The token of the word that tells what the statement is.
  std::size_t word_at(TokenRange line) const {
    return parts_.is(line.first, "async") && line.first + 1 < line.last ? line.first + 1 : line.first;
  }

  bool starts_header(TokenRange line, std::size_t word) const {
    if (parts_.token(word).kind != TokenKind::name) return false;
    const std::string_view text = parts_.word(word);
    if (text == "match") return starts_match(line, word);
    if (text == "case") return parts_.is(blocks_word(), "match") && header_colon(line, word) != no_token;
    return std::find(header_words.begin(), header_words.end(), text) != header_words.end();
  }

  // The first word of the header around the current line; the end of the tokens if there is none.
  std::size_t blocks_word() const {
    const std::size_t header = blocks_.back().header;
    return header == nowhere ? parts_.tokens.all.size() : parts_.statements[header].tokens.first;
  }

  // "match x:" against match as a name: only a header ends in a colon.
  bool starts_match(TokenRange line, std::size_t word) const {
    if (line.last - word < 3 || !parts_.is(line.last - 1, ":")) return false;
    constexpr std::array<std::string_view, 5> after_a_name = {"=", ".", ",", ":", "."};
    return std::find(after_a_name.begin(), after_a_name.end(), parts_.word(word + 1)) == after_a_name.end();
  }

  std::size_t header_colon(TokenRange line, std::size_t word) const {
    std::size_t lambdas = 0;
    for (std::size_t index = word; index < line.last; index = parts_.after(index, line.last)) {
      if (parts_.is(index, "lambda")) ++lambdas;
      if (parts_.is(index, ":")) {
        if (lambdas == 0) return index;
        --lambdas;
      }
    }
    return no_token;
  }

  void add_simple(TokenRange line, bool after_header) {
    std::vector<TokenRange> pieces;
    std::size_t first = line.first;
    for (std::size_t index = line.first; index < line.last; index = parts_.after(index, line.last)) {
      if (!parts_.is(index, ";")) continue;
      if (index > first) pieces.push_back({first, index});
      first = index + 1;
    }
    if (first < line.last) pieces.push_back({first, line.last});
    for (const TokenRange& piece : pieces) {
      add(Statement::Kind::simple, piece, after_header || pieces.size() > 1 || piece.last != line.last);
    }
  }

  void add(Statement::Kind kind, TokenRange tokens, bool shares_line) {
    Statement statement;
    statement.kind = kind;
    statement.word = parts_.word(word_at(tokens));
    statement.tokens = tokens;
    statement.range = parts_.bytes(tokens);
    statement.parent = blocks_.back().header;
    statement.scope = statement.parent == nowhere ? 0 : parts_.statements[statement.parent].body_scope;
    statement.body_scope = statement.scope;
    statement.line_begin = line_begin_;
    statement.shares_line = shares_line;
    parts_.statements.push_back(statement);
  }

  // The header added last opens a scope if it is a def or a class.
  void open_scope(std::size_t word) {
    const bool function = parts_.is(word, "def");
    if (!function && !parts_.is(word, "class")) return;
    Statement& header = parts_.statements.back();
    Scope scope;
    scope.kind = function ? Scope::Kind::function : Scope::Kind::class_body;
    if (word + 1 < header.tokens.last) scope.name = parts_.word(word + 1);
    scope.parent = header.scope;
    scope.header = parts_.statements.size() - 1;
    header.body_scope = parts_.scopes.size();
    parts_.scopes.push_back(scope);
  }

  Parts& parts_;
  std::vector<Block> blocks_;
  std::size_t pending_header_ = nowhere;
  std::size_t pending_width_ = 0;
  std::size_t line_begin_ = 0;
};

}  // namespace

void read_statements(Parts& parts) { StatementReader(parts).read(); }

bool within(const Parts& parts, std::size_t statement, std::size_t header) {
  for (std::size_t block = parts.statements[statement].parent; block != nowhere;
       block = parts.statements[block].parent) {
    if (block == header) return true;
  }
  return false;
}

}  // namespace whyfail::fixer
