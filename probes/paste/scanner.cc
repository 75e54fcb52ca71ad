// Reads lines from left to right.
#include "probes/paste/scanner.h"

#include <cctype>

#include "probes/byte_size.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

struct PrintedUnit {
  std::string_view text;
  std::uint64_t bytes;
};

constexpr std::uint64_t kibi = 1024;
constexpr PrintedUnit printed_units[] = {{"TiB", kibi* kibi* kibi* kibi},
                                         {"GiB", kibi* kibi* kibi},
                                         {"MiB", kibi* kibi},
                                         {"KiB", kibi},
                                         {"ТБ", kibi* kibi* kibi* kibi},
                                         {"ГБ", kibi* kibi* kibi},
                                         {"Гб", kibi* kibi* kibi},
                                         {"МБ", kibi* kibi},
                                         {"КБ", kibi},
                                         {"TB", kibi* kibi* kibi* kibi},
                                         {"GB", kibi* kibi* kibi},
                                         {"gb", kibi* kibi* kibi},
                                         {"Gb", kibi* kibi* kibi},
                                         {"MB", kibi* kibi},
                                         {"mb", kibi* kibi},
                                         {"KB", kibi},
                                         {"kB", kibi},
                                         {"To", kibi* kibi* kibi* kibi},
                                         {"Go", kibi* kibi* kibi},
                                         {"Mo", kibi* kibi},
                                         {"Ti", kibi* kibi* kibi* kibi},
                                         {"Gi", kibi* kibi* kibi},
                                         {"Mi", kibi* kibi},
                                         {"Ki", kibi},
                                         {"gigabytes", kibi* kibi* kibi},
                                         {"gigs", kibi* kibi* kibi},
                                         {"gig", kibi* kibi* kibi},
                                         {"G", kibi* kibi* kibi},
                                         {"g", kibi* kibi* kibi},
                                         {"M", kibi* kibi}};

}  // namespace

std::optional<std::uint64_t> printed_unit(std::string_view text, std::size_t& length) {
  for (const PrintedUnit& unit : printed_units) {
    if (!text.starts_with(unit.text)) continue;
    const std::string_view rest = text.substr(unit.text.size());
    // "GBps", "GB/s" and "Gigabit" are no sizes; "GB显存" is one.
    if (!rest.empty() && std::isalnum(static_cast<unsigned char>(rest[0])) != 0) continue;
    if (rest.starts_with("/s")) continue;
    length = unit.text.size();
    return unit.bytes;
  }
  return std::nullopt;
}

void Scanner::skip_blanks() {
  for (;;) {
    if (next() == ' ' || next() == '\t') {
      ++at_;
    } else if (rest().starts_with("\u00a0")) {
      at_ += 2;
    } else if (rest().starts_with("\u202f") || rest().starts_with("\u3000")) {
      at_ += 3;
    } else {
      return;
    }
  }
}

bool Scanner::take(std::string_view literal) {
  if (!rest().starts_with(literal)) return false;
  at_ += literal.size();
  return true;
}

bool Scanner::take_any_case(std::string_view literal) {
  if (lower_case(rest().substr(0, literal.size())) != lower_case(literal)) return false;
  at_ += literal.size();
  return true;
}

std::string_view Scanner::take_until(std::string_view stops) {
  const std::size_t end = std::min(text_.find_first_of(stops, at_), text_.size());
  const std::string_view part = text_.substr(at_, end - at_);
  at_ = end;
  return part;
}

std::optional<std::uint64_t> Scanner::take_integer() {
  std::size_t end = at_;
  while (end < text_.size() && is_digit(text_[end])) ++end;
  const auto number = number_of(text_.substr(at_, end - at_));
  if (number) at_ = end;
  return number;
}

std::optional<std::string> Scanner::take_decimal() {
  std::size_t end = at_;
  while (end < text_.size() && is_digit(text_[end])) ++end;
  if (end == at_ || end - at_ > 18) return std::nullopt;
  std::string number(text_.substr(at_, end - at_));
  if (end + 1 < text_.size() && (text_[end] == '.' || text_[end] == ',') && is_digit(text_[end + 1])) {
    std::size_t last = end + 1;
    while (last < text_.size() && is_digit(text_[last]) && last - end < 12) ++last;
    number += '.';
    number += text_.substr(end + 1, last - end - 1);
    end = last;
  }
  at_ = end;
  return number;
}

std::optional<std::uint64_t> Scanner::take_grouped() {
  std::string digits;
  std::size_t end = at_;
  while (end < text_.size() && is_digit(text_[end])) digits += text_[end++];
  if (digits.empty() || digits.size() > 15) return std::nullopt;
  for (;;) {
    std::string_view tail = text_.substr(end);
    std::size_t separator = 0;
    for (std::string_view mark : {",", ".", " ", "'", "\u00a0", "\u202f", "\u2019"}) {
      if (tail.starts_with(mark)) separator = mark.size();
    }
    tail = tail.substr(separator);
    const bool group = separator > 0 && tail.size() >= 3 && is_digit(tail[0]) && is_digit(tail[1]) &&
                       is_digit(tail[2]) && (tail.size() == 3 || !is_digit(tail[3]));
    if (!group || digits.size() > 15) break;
    digits += tail.substr(0, 3);
    end += separator + 3;
  }
  at_ = end;
  return number_of(digits);
}

std::optional<std::uint64_t> Scanner::take_size() {
  const std::size_t begin = at_;
  if (begin > 0 && (is_digit(text_[begin - 1]) || text_[begin - 1] == '.')) return std::nullopt;
  const auto number = take_decimal();
  if (number) {
    skip_blanks();
    std::size_t length = 0;
    if (const auto unit = printed_unit(rest(), length)) {
      if (const auto bytes = times_unit(*number, *unit)) {
        at_ += length;
        return bytes;
      }
    }
  }
  at_ = begin;
  return std::nullopt;
}

}  // namespace whyfail::probes::paste
