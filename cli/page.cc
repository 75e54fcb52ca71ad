// Masks first, then wraps, then colours: masking takes control characters out.
#include "cli/page.h"

#include <algorithm>

#include "cli/mask.h"

namespace whyfail::cli {
namespace {

constexpr std::size_t width = 96;
constexpr std::size_t name_column = 9;

}  // namespace

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string cut(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + " …";
}

std::string Page::styled(const std::string& text, Style style) const {
  if (!color_ || style == Style::plain || text.empty()) return text;
  const char* begin = style == Style::heading ? "\033[1m"
                      : style == Style::cause ? "\033[1;31m"
                      : style == Style::call  ? "\033[32m"
                                              : "\033[2m";
  return begin + text + "\033[0m";
}

void Page::line(const std::string& text, Style style) { text_ += styled(masked(text), style) + "\n"; }

void Page::heading(const char* text) {
  blank();
  line(text, Style::heading);
}

void Page::paragraph(const std::string& text, std::size_t indent, Style style) {
  const std::string safe = masked(text);
  for (std::string_view rest = safe; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    wrap(rest.substr(0, end), indent, style);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void Page::row(const Row& row) {
  const std::string safe = masked(row.says);
  std::string name = masked(row.name);
  name.resize(std::max(name.size() + 1, name_column), ' ');
  const std::size_t at = text_.size();
  wrap(safe, name.size() + 2, Style::plain);
  text_.replace(at, name.size() + 2, "  " + name);
}

void Page::wrap(std::string_view text, std::size_t indent, Style style) {
  std::string current;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!current.empty() && indent + columns(current) + 1 + columns(word) > width) {
      text_ += std::string(indent, ' ') + styled(current, style) + "\n";
      current.clear();
    }
    if (!current.empty()) current += ' ';
    current += word;
  }
  text_ += std::string(indent, ' ') + styled(current, style) + "\n";
}

}  // namespace whyfail::cli
