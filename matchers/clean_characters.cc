// Characters that editors, chats and web pages put in the place of plain ones.
#include <optional>
#include <string_view>

#include "matchers/clean_steps.h"
#include "matchers/text_lines.h"

namespace whyfail::matchers {
namespace {

struct Plain {
  std::string_view fancy;
  std::string_view plain;
};

constexpr Plain kPlain[] = {
    {"\xC2\xAB", "\""},                              // guillemets
    {"\xC2\xBB", "\""},     {"\xE3\x80\x8A", "\""},  // brackets that quote in Chinese and Japanese
    {"\xE3\x80\x8B", "\""}, {"\xE3\x80\x8C", "\""}, {"\xE3\x80\x8D", "\""},  {"\xE3\x80\x8E", "\""},
    {"\xE3\x80\x8F", "\""}, {"\xC2\xA0", " "},  // no-break space
    {"\xE2\x80\x87", " "},                      // figure space
    {"\xE2\x80\xAF", " "},                      // narrow no-break space
    {"\xE3\x80\x80", " "},                      // ideographic space
    {"\xE2\x80\x8B", ""},                       // zero width space
    {"\xE2\x80\x8C", ""},                       // zero width non-joiner
    {"\xE2\x80\x8D", ""},                       // zero width joiner
    {"\xE2\x80\x8E", ""},                       // left-to-right mark
    {"\xE2\x80\x8F", ""},                       // right-to-left mark
    {"\xE2\x81\xA0", ""},                       // word joiner
    {"\xEF\xBB\xBF", ""},                       // byte order mark
    {"\xC2\xAD", ""},                           // soft hyphen
    {"\xEF\xAC\x80", "ff"},                     // ligatures, as they come out of PDF files
    {"\xEF\xAC\x81", "fi"}, {"\xEF\xAC\x82", "fl"}, {"\xEF\xAC\x83", "ffi"}, {"\xEF\xAC\x84", "ffl"},
    {"\xEF\xAC\x85", "st"}, {"\xEF\xAC\x86", "st"}, {"\xE2\x80\x98", "'"},   {"\xE2\x80\x99", "'"},
    {"\xE2\x80\x9A", "'"},  {"\xE2\x80\x9B", "'"},  {"\xE2\x80\x9C", "\""},  {"\xE2\x80\x9D", "\""},
    {"\xE2\x80\x9E", "\""}, {"\xE2\x80\x9F", "\""}, {"\xE2\x80\xA8", "\n"},  // line separator
    {"\xE2\x80\xA9", "\n"},                                                  // paragraph separator
};

// What stands at the start of `text` and should not; length of it and what to put there.
std::optional<Plain> fancy_at(std::string_view text) {
  const unsigned first = static_cast<unsigned char>(text.front());
  if (first < 0x80) {
    const bool control = (first < 0x20 && first != '\n' && first != '\t') || first == 0x7F;
    return control ? std::optional<Plain>({text.substr(0, 1), ""}) : std::nullopt;
  }
  for (const Plain& entry : kPlain) {
    if (text.starts_with(entry.fancy)) return entry;
  }
  return std::nullopt;
}

bool may_be_fancy(char c) {
  const unsigned byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F || byte == 0xC2 || byte == 0xE2 ||
         byte == 0xE3 || byte == 0xEF;
}

}  // namespace

CleanText with_plain_characters(CleanText text) {
  const std::string_view bytes = text.text();
  CleanText out;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto fancy = may_be_fancy(bytes[at]) ? fancy_at(bytes.substr(at)) : std::nullopt;
    if (!fancy) {
      ++at;
      continue;
    }
    out.take(text, kept, at);
    out.replace(fancy->plain, text, at, at + fancy->fancy.size());
    at += fancy->fancy.size();
    kept = at;
  }
  if (kept == 0) return text;
  out.take(text, kept, bytes.size());
  out.take_lines(text);
  return out;
}

// A text in which every second line is empty had its lines set as paragraphs.
CleanText without_doubled_lines(CleanText text) {
  const std::vector<Line> lines = lines_of(text.text());
  std::size_t filled = 0, followed_by_empty = 0;
  for (std::size_t index = 0; index + 1 < lines.size(); ++index) {
    if (trim(lines[index].text).empty()) continue;
    ++filled;
    if (trim(lines[index + 1].text).empty()) ++followed_by_empty;
  }
  if (filled < 4 || followed_by_empty * 10 < filled * 9) return text;
  CleanText out;
  out.take_lines(text);
  bool keep_empty = false;
  for (const Line& line : lines) {
    const bool empty = trim(line.text).empty();
    if (!empty || keep_empty) out.take(text, line.begin, line.end + 1);
    keep_empty = empty;  // the second of two empty lines was one before
  }
  return out;
}

}  // namespace whyfail::matchers
