// Web pages and text with character references: tags go (block tags become line ends), &lt; becomes "<".
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "matchers/clean_escapes.h"
#include "matchers/clean_steps.h"
#include "matchers/text_lines.h"

namespace whyfail::matchers {
namespace {

constexpr std::size_t kLongestTag = 8192;
constexpr std::size_t kLongestReference = 12;

// Python prints <module>, <listcomp>, <stdin>, <class 'x'>, <frozen runpy>: only names that HTML has are tags.
constexpr std::array<std::string_view, 16> kBlocks = {"p",  "div", "br", "pre", "li",         "tr",      "ul",    "ol",
                                                      "h1", "h2",  "h3", "h4",  "blockquote", "article", "table", "hr"};
constexpr std::array<std::string_view, 52> kInline = {
    "html",   "head",  "body",   "span",     "code",   "a",      "b",     "i",        "em",      "strong", "td",
    "th",     "thead", "tbody",  "meta",     "link",   "title",  "img",   "button",   "svg",     "path",   "section",
    "header", "main",  "footer", "nav",      "form",   "input",  "label", "textarea", "time",    "small",  "sub",
    "sup",    "del",   "kbd",    "samp",     "var",    "tt",     "font",  "details",  "summary", "center", "u",
    "s",      "h5",    "h6",     "noscript", "figure", "strike", "aside", "dd"};

enum class TagKind { none, block, inline_, hidden };

struct Tag {
  TagKind kind = TagKind::none;
  std::string name;
  std::size_t length = 0;
  bool closing = false;
};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::size_t tag_end(std::string_view text) {
  char quote = 0;
  for (std::size_t at = 1; at < text.size() && at < kLongestTag; ++at) {
    if (quote != 0) {
      if (text[at] == quote) quote = 0;
    } else if (text[at] == '"' || text[at] == '\'') {
      quote = text[at];
    } else if (text[at] == '>') {
      return at + 1;
    } else if (text[at] == '<') {
      return 0;
    }
  }
  return 0;
}

// `text` starts with "<".
Tag tag_at(std::string_view text) {
  Tag tag;
  if (text.starts_with("<!--")) {
    const std::size_t end = text.substr(0, kLongestTag).find("-->");
    if (end != std::string_view::npos) tag = {TagKind::inline_, "!--", end + 3, false};
    return tag;
  }
  std::size_t at = 1;
  tag.closing = text.substr(at).starts_with("/");
  if (tag.closing) ++at;
  while (at < text.size() && at < 32 && (is_identifier(text[at]) || text[at] == '-' || text[at] == '!')) {
    tag.name += static_cast<char>(text[at] >= 'A' && text[at] <= 'Z' ? text[at] | 0x20 : text[at]);
    ++at;
  }
  if (at >= text.size() || tag.name.empty()) return {};
  if (text[at] != '>' && text[at] != '/' && !is_blank(text[at]) && text[at] != '\n') return {};
  if (tag.name == "script" || tag.name == "style") {
    tag.kind = TagKind::hidden;
  } else if (is_one_of(kBlocks, tag.name)) {
    tag.kind = TagKind::block;
  } else if (is_one_of(kInline, tag.name) || tag.name.front() == '!' || contains(tag.name, "-")) {
    tag.kind = TagKind::inline_;
  } else {
    return {};
  }
  tag.length = tag_end(text);
  return tag.length == 0 ? Tag{} : tag;
}

bool has_tags(std::string_view text) {
  constexpr std::array<std::string_view, 12> kSigns = {"<pre>",  "<pre ",  "<p>", "<p ",   "<div>",     "<div ",
                                                       "<code>", "<code ", "<br", "<html", "<!DOCTYPE", "<!doctype"};
  return std::any_of(kSigns.begin(), kSigns.end(), [&](std::string_view sign) { return contains(text, sign); });
}

CleanText without_tags(const CleanText& text) {
  const std::string_view bytes = text.text();
  CleanText out;
  out.take_lines(text);
  std::size_t kept = 0;
  std::size_t hidden_end = 0;  // where the script or style that was looked at last ends
  for (std::size_t at = bytes.find('<'); at != std::string_view::npos; at = bytes.find('<', at)) {
    const Tag tag = tag_at(bytes.substr(at));
    if (tag.kind == TagKind::none) {
      ++at;
      continue;
    }
    out.take(text, kept, at);
    std::size_t end = at + tag.length;
    if (tag.kind == TagKind::hidden && !tag.closing) {
      if (hidden_end < end) hidden_end = bytes.find("</s", end);
      if (hidden_end != std::string_view::npos) end = hidden_end;
    }
    const bool at_line_start = out.text().empty() || out.text().back() == '\n';
    if (tag.kind == TagKind::block && !at_line_start) out.replace("\n", text, at, end);
    // What follows a block of output is no part of it.
    if (tag.name == "pre" && tag.closing) out.replace("\n", text, at, end);
    kept = at = end;
  }
  out.take(text, kept, bytes.size());
  return out;
}

struct Reference {
  std::string value;
  std::size_t length = 0;
};

std::optional<Reference> numeric_reference(std::string_view body, std::size_t length) {
  const bool hexadecimal = body.size() > 2 && (body[1] == 'x' || body[1] == 'X');
  unsigned point = 0;
  for (const char c : body.substr(hexadecimal ? 2 : 1)) {
    const bool letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (!is_digit(c) && !(hexadecimal && letter)) return std::nullopt;
    const unsigned digit = is_digit(c) ? static_cast<unsigned>(c - '0') : static_cast<unsigned>((c | 0x20) - 'a' + 10);
    point = point * (hexadecimal ? 16 : 10) + digit;
    if (point > 0x10FFFF) return std::nullopt;
  }
  if (body.size() < 2 || point == 0 || (point >= 0xD800 && point < 0xE000)) return std::nullopt;
  return Reference{encoded(point), length};
}

// `text` starts with "&".
std::optional<Reference> reference_at(std::string_view text) {
  const std::size_t end = text.substr(0, kLongestReference).find(';');
  if (end == std::string_view::npos || end < 2) return std::nullopt;
  const std::string_view body = text.substr(1, end - 1);
  if (body.front() == '#') return numeric_reference(body, end + 1);
  constexpr std::pair<std::string_view, std::string_view> kNamed[] = {
      {"lt", "<"},     {"gt", ">"},     {"amp", "&"},    {"quot", "\""},   {"apos", "'"},   {"nbsp", " "},
      {"lsquo", "'"},  {"rsquo", "'"},  {"ldquo", "\""}, {"rdquo", "\""},  {"hellip", "…"}, {"ndash", "–"},
      {"mdash", "—"},  {"boxv", "│"},   {"boxh", "─"},   {"grave", "`"},   {"lowbar", "_"}, {"num", "#"},
      {"lpar", "("},   {"rpar", ")"},   {"lbrack", "["}, {"rbrack", "]"},  {"lsqb", "["},   {"rsqb", "]"},
      {"lcub", "{"},   {"rcub", "}"},   {"sol", "/"},    {"bsol", "\\"},   {"colon", ":"},  {"comma", ","},
      {"period", "."}, {"equals", "="}, {"Tab", "\t"},   {"NewLine", "\n"}};
  for (const auto& [name, value] : kNamed) {
    if (body == name) return Reference{std::string(value), end + 1};
  }
  return std::nullopt;
}

bool has_references(std::string_view text) {
  constexpr std::array<std::string_view, 6> kSigns = {"&lt;", "&gt;", "&quot;", "&#x27;", "&#39;", "&#34;"};
  return std::any_of(kSigns.begin(), kSigns.end(), [&](std::string_view sign) { return contains(text, sign); });
}

CleanText without_references(const CleanText& text) {
  const std::string_view bytes = text.text();
  CleanText out;
  out.take_lines(text);
  std::size_t kept = 0;
  for (std::size_t at = bytes.find('&'); at != std::string_view::npos; at = bytes.find('&', at)) {
    const auto reference = reference_at(bytes.substr(at));
    if (!reference) {
      ++at;
      continue;
    }
    out.take(text, kept, at);
    out.replace(reference->value, text, at, at + reference->length);
    at += reference->length;
    kept = at;
  }
  out.take(text, kept, bytes.size());
  return out;
}

}  // namespace

CleanText without_html(CleanText text) {
  if (has_tags(text.text())) text = without_tags(text);
  // Escaped twice where an escaped page was put into another one.
  for (int round = 0; round < 2 && has_references(text.text()); ++round) text = without_references(text);
  return text;
}

}  // namespace whyfail::matchers
