// Bytes as they came → UTF-8 with \n line ends.
#include "matchers/clean_encoding.h"

#include <string_view>
#include <utility>

#include "matchers/clean_escapes.h"

namespace whyfail::matchers {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

unsigned byte_at(std::string_view bytes, std::size_t position) { return static_cast<unsigned char>(bytes[position]); }

// Length of the well-formed UTF-8 sequence at `position`; 0: there is none.
std::size_t sequence_length(std::string_view bytes, std::size_t position) {
  const unsigned lead = byte_at(bytes, position);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || position + length > bytes.size()) return 0;
  for (std::size_t index = 1; index < length; ++index) {
    if ((byte_at(bytes, position + index) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte_at(bytes, position + 1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate_or_beyond = (lead == 0xED && second >= 0xA0) || (lead == 0xF4 && second >= 0x90);
  return overlong || surrogate_or_beyond ? 0 : length;
}

CleanText from_utf8(const Island& island, std::size_t position) {
  const std::string_view bytes = island.bytes;
  CleanText clean;
  std::size_t kept = position;  // start of the run that is taken over unchanged
  const auto flush = [&](std::size_t end) { clean.append(bytes.substr(kept, end - kept), island.begin + kept, true); };
  while (position < bytes.size()) {
    const unsigned byte = byte_at(bytes, position);
    if (byte < 0x80 && byte != '\r' && byte != 0) {
      ++position;
      continue;
    }
    if (byte == 0) {
      flush(position);
      kept = ++position;
    } else if (byte == '\r') {
      flush(position);
      std::size_t end = position + 1;
      while (end < bytes.size() && bytes[end] == '\r') ++end;  // \r\r\n: written in text mode twice
      if (end < bytes.size() && bytes[end] == '\n') {
        position = kept = end;
      } else {
        clean.append("\n", island.begin + position, false, end - position);
        position = kept = end;
      }
    } else if (const std::size_t length = sequence_length(bytes, position); length != 0) {
      position += length;
    } else {
      flush(position);
      clean.append(kReplacement, island.begin + position, false, 1);
      kept = ++position;
    }
  }
  flush(position);
  return clean;
}

CleanText from_utf16(const Island& island, std::size_t position) {
  const std::string_view bytes = island.bytes;
  const bool little = island.encoding == Encoding::utf16_little;
  const auto unit_at = [&](std::size_t at) {
    const unsigned first = byte_at(bytes, at), second = byte_at(bytes, at + 1);
    return little ? first | (second << 8) : (first << 8) | second;
  };
  CleanText clean;
  while (position + 1 < bytes.size()) {
    std::size_t length = 2;
    unsigned point = unit_at(position);
    if (point >= 0xD800 && point < 0xDC00 && position + 3 < bytes.size()) {
      const unsigned low = unit_at(position + 2);
      if (low >= 0xDC00 && low < 0xE000) {
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
        length = 4;
      }
    }
    const bool before_newline = point == '\r' && position + 3 < bytes.size() && unit_at(position + 2) == '\n';
    if (point == '\r' && !before_newline) point = '\n';
    if (point >= 0xD800 && point < 0xE000) {
      clean.append(kReplacement, island.begin + position, false, length);
    } else if (point != 0 && !before_newline && point != 0xFEFF) {
      clean.append(encoded(point), island.begin + position, false, length);
    }
    position += length;
  }
  return clean;
}

std::vector<std::uint64_t> line_starts(const Island& island) {
  std::vector<std::uint64_t> starts;
  const std::string_view bytes = island.bytes;
  for (std::size_t at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1)) {
    if (island.encoding == Encoding::utf8) {
      starts.push_back(island.begin + at + 1);
      continue;
    }
    // In UTF-16 a line end is the unit 0x000A; the byte 0x0A alone may be half of another unit.
    const bool little = island.encoding == Encoding::utf16_little;
    const std::size_t unit = at & ~std::size_t{1};
    if (unit + 1 >= bytes.size() || (at == unit) != little || bytes[little ? unit + 1 : unit] != '\0') continue;
    starts.push_back(island.begin + unit + 2);
  }
  return starts;
}

}  // namespace

CleanText decode(const Island& island) {
  CleanText clean;
  if (island.encoding == Encoding::utf8) {
    const bool mark = island.bytes.compare(0, 3, "\xEF\xBB\xBF") == 0;
    clean = from_utf8(island, mark ? 3 : 0);
  } else {
    clean = from_utf16(island, 0);
  }
  clean.set_lines(island.line, line_starts(island));
  return clean;
}

std::string valid_utf8(std::string_view bytes) {
  std::string valid;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = sequence_length(bytes, at);
    valid += length == 0 ? kReplacement : bytes.substr(at, length);
    at += length == 0 ? 1 : length;
  }
  return valid;
}

}  // namespace whyfail::matchers
