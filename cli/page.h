// A page for a terminal: masked lines, wrapped at blanks, with colour around them if wanted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/words.h"

namespace whyfail::cli {

enum class Style { plain, heading, cause, call, faint };

class Page {
 public:
  explicit Page(bool color) : color_(color) {}

  void line(const std::string& text, Style style = Style::plain);
  void blank() { text_ += "\n"; }
  // A line of its own after an empty one.
  void heading(const char* text);
  // Wrapped; every line begins with `indent` blanks. Line ends in `text` are kept.
  void paragraph(const std::string& text, std::size_t indent = 0, Style style = Style::plain);
  // A name and what it says, wrapped beside the name.
  void row(const Row& row);

  std::string take() { return std::move(text_); }

 private:
  std::string styled(const std::string& text, Style style) const;
  void wrap(std::string_view text, std::size_t indent, Style style);

  std::string text_;
  bool color_;
};

// Characters, not bytes: continuation bytes of UTF-8 take no column.
std::size_t columns(std::string_view text);
// At most so many bytes, ended with "…" where something was left out.
std::string cut(const std::string& text, std::size_t most);

}  // namespace whyfail::cli
