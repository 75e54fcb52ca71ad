// free: a heading with "total", then "Mem:" with total, used, free, shared, buff/cache and available.
#include "probes/byte_size.h"
#include "probes/paste/scanner.h"
#include "probes/paste/stated.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

constexpr std::uint64_t kibi = 1024;

bool is_label(std::string_view word, std::initializer_list<std::string_view> labels) {
  for (std::string_view label : labels) {
    if (word == label) return true;
  }
  return false;
}

// Without a unit the figures count what the command said, else 1024 bytes. No machine that loads models has less than
// 256 MiB: smaller figures were printed by free -m or free -g.
std::uint64_t plain_unit(std::string_view command, std::uint64_t total) {
  if (command.find("--si") != std::string_view::npos) return 1000;
  if (command.find("-b") != std::string_view::npos) return 1;
  if (command.find("-m") != std::string_view::npos) return kibi * kibi;
  if (command.find("-g") != std::string_view::npos) return kibi * kibi * kibi;
  if (total >= 256 * kibi) return kibi;
  return total >= 256 ? kibi * kibi : kibi * kibi * kibi;
}

// free -h --si prints 10^9 bytes as "1.0G".
std::optional<std::uint64_t> decimal_size(std::string_view field) {
  for (const auto& [letter, bytes] : {std::pair('G', std::uint64_t{1000000000}), std::pair('M', std::uint64_t{1000000}),
                                      std::pair('T', std::uint64_t{1000000000000})}) {
    if (field.ends_with(letter)) return times_unit(field.substr(0, field.size() - 1), bytes);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> size_of(std::string_view field, std::uint64_t unit) {
  if (unit == 1000) {
    if (const auto decimal = decimal_size(field)) return decimal;
  }
  if (const auto plain = number_of(field)) {
    if (*plain > (std::uint64_t{1} << 50U) / unit * 8) return std::nullopt;
    return *plain * unit;
  }
  if (field == "0B") return 0;
  Scanner scanner(field);
  const auto size = scanner.take_size();
  return scanner.at_end() ? size : std::nullopt;
}

// The heading and the row "Mem:" are equally long, so that a paste of nothing else looks like one wrapped line.
Lines parted(const Lines& lines) {
  Lines all;
  for (std::string_view line : lines) {
    for (std::string_view label : {"Mem:", "Mem.:", "Swap:"}) {
      const std::size_t at = line.size() > 1000 ? std::string_view::npos : line.find(label);
      if (at == std::string_view::npos || at == 0 || trimmed(line.substr(0, at)).empty()) continue;
      all.push_back(line.substr(0, at));
      line = line.substr(at);
    }
    all.push_back(line);
  }
  return all;
}

}  // namespace

Stated free_output(const Lines& wrapped) {
  const Lines lines = parted(wrapped);
  Stated stated;
  std::string_view command;
  bool heading = false;
  std::size_t available = 0;  // the column, counted after the label
  std::uint64_t unit = kibi;
  for (std::string_view line : lines) {
    const auto words = fields_of(line);
    if (words.empty()) continue;
    if (line.find("free -") != std::string_view::npos || words.back() == "free") command = line;
    if (words.size() >= 3 && is_label(words[0], {"total", "gesamt", "total:", "totale", "totaal", "всего", "合計",
                                                 "总计", "總計", "razem"})) {
      heading = true;
      // Before procps 3.3.10 the sixth column was what the page cache holds, and no column told what is available.
      available = words.size() >= 6 && words[4].find('/') != std::string_view::npos ? 6 : 0;
      continue;
    }
    if (!heading || words.size() < 4) continue;
    if (is_label(words[0], {"Mem:", "Speicher:", "Mem.:", "Память:", "Пам:", "内存：", "内存:", "記憶體：",
                            "メモリ:", "Pamięć:"})) {
      unit = plain_unit(command, number_of(words[1]).value_or(0));
      stated.memory_total = size_of(words[1], unit);
      stated.memory_line = line;
      if (available != 0 && words.size() > available) stated.memory_available = size_of(words[available], unit);
    } else if (is_label(words[0], {"Swap:", "Подкачка:", "交换：", "スワップ:"}) && stated.memory_total) {
      stated.swap_free = size_of(words[3], unit);
      return stated;
    }
  }
  return stated;
}

}  // namespace whyfail::probes::paste
