// UTF-8 that a console read in its own code page: "Γöé" (437), "Ôöé" (850), "тФВ" (866) and "â”‚" (1252) are all "│".
// Only characters of three bytes that begin with E2 are put right: borders, arrows, bars, dashes, quotes.
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "matchers/clean_steps.h"
#include "matchers/text_lines.h"

namespace whyfail::matchers {
namespace {

// What each page shows for E2, and for 80 to BF in order.
struct CodePage {
  std::string_view lead;
  std::array<std::string_view, 64> followers;
};

constexpr CodePage kPages[] = {
    {"Γ", {"Ç", "ü", "é", "â", "ä", "à", "å", "ç", "ê", "ë", "è", "ï", "î", "ì", "Ä", "Å", "É", "æ", "Æ", "ô", "ö", "ò",
           "û", "ù", "ÿ", "Ö", "Ü", "¢", "£", "¥", "₧", "ƒ", "á", "í", "ó", "ú", "ñ", "Ñ", "ª", "º", "¿", "⌐", "¬", "½",
           "¼", "¡", "«", "»", "░", "▒", "▓", "│", "┤", "╡", "╢", "╖", "╕", "╣", "║", "╗", "╝", "╜", "╛", "┐"}},
    {"Ô", {"Ç", "ü", "é", "â", "ä", "à", "å", "ç", "ê", "ë", "è", "ï", "î", "ì", "Ä", "Å", "É", "æ", "Æ", "ô", "ö", "ò",
           "û", "ù", "ÿ", "Ö", "Ü", "ø", "£", "Ø", "×", "ƒ", "á", "í", "ó", "ú", "ñ", "Ñ", "ª", "º", "¿", "®", "¬", "½",
           "¼", "¡", "«", "»", "░", "▒", "▓", "│", "┤", "Á", "Â", "À", "©", "╣", "║", "╗", "╝", "¢", "¥", "┐"}},
    {"т", {"А", "Б", "В", "Г", "Д", "Е", "Ж", "З", "И", "Й", "К", "Л", "М", "Н", "О", "П", "Р", "С", "Т", "У", "Ф", "Х",
           "Ц", "Ч", "Ш", "Щ", "Ъ", "Ы", "Ь", "Э", "Ю", "Я", "а", "б", "в", "г", "д", "е", "ж", "з", "и", "й", "к", "л",
           "м", "н", "о", "п", "░", "▒", "▓", "│", "┤", "╡", "╢", "╖", "╕", "╣", "║", "╗", "╝", "╜", "╛", "┐"}},
    {"â", {"€",      "\u0081", "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", "\u008D", "Ž", "\u008F",
           "\u0090", "‘",      "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", "\u009D", "ž", "Ÿ",
           "\u00A0", "¡",      "¢", "£", "¤", "¥", "¦", "§", "¨", "©", "ª", "«", "¬", "\u00AD", "®", "¯",
           "°",      "±",      "²", "³", "´", "µ", "¶", "·", "¸", "¹", "º", "»", "¼", "½",      "¾", "¿"}},
};

// The byte (80 to BF) that `page` shows as the beginning of `text`; `length`: of what it shows.
std::optional<char> follower_at(const CodePage& page, std::string_view text, std::size_t& length) {
  for (std::size_t index = 0; index < page.followers.size(); ++index) {
    if (!text.starts_with(page.followers[index])) continue;
    length = page.followers[index].size();
    return static_cast<char>(0x80 + index);
  }
  return std::nullopt;
}

struct Misread {
  std::string character;
  std::size_t length = 0;
};

std::optional<Misread> misread_at(std::string_view text) {
  for (const CodePage& page : kPages) {
    if (!text.starts_with(page.lead)) continue;
    std::size_t second = 0, third = 0;
    const auto middle = follower_at(page, text.substr(page.lead.size()), second);
    if (!middle) continue;
    const auto last = follower_at(page, text.substr(page.lead.size() + second), third);
    // U+2000 to U+27FF: punctuation, arrows, borders, blocks, dingbats.
    const auto middle_byte = static_cast<unsigned char>(*middle);
    if (!last || middle_byte > 0x9F) continue;
    return Misread{{static_cast<char>(0xE2), *middle, *last}, page.lead.size() + second + third};
  }
  return std::nullopt;
}

}  // namespace

CleanText without_code_pages(CleanText text) {
  const std::string_view bytes = text.text();
  // First bytes of Γ (CE), Ô and â (C3), т (D1).
  constexpr std::string_view kLeads = "\xCE\xC3\xD1";
  CleanText out;
  std::size_t kept = 0;
  for (std::size_t at = bytes.find_first_of(kLeads); at != std::string_view::npos;
       at = bytes.find_first_of(kLeads, at)) {
    const auto misread = misread_at(bytes.substr(at));
    if (!misread) {
      ++at;
      continue;
    }
    out.take(text, kept, at);
    out.replace(misread->character, text, at, at + misread->length);
    at += misread->length;
    kept = at;
  }
  if (kept == 0) return text;
  out.take(text, kept, bytes.size());
  out.take_lines(text);
  return out;
}

}  // namespace whyfail::matchers
