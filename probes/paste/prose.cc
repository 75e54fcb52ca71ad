// A person's own words about the computer: "My box: RTX 3060 12GB, 64 GB RAM, Debian 12.", "Setup: 2x RTX 4090 (24 GB
// each), 128GB system memory", "配置：RTX 4060 Ti 16GB 显存，内存 128GB", "transformers 4.48.3, torch 2.5.1". Read only
// where the line tells what its writer has (ownership.cc): nothing is concluded from other text.
#include <algorithm>
#include <cctype>

#include "probes/known_cards.h"
#include "probes/paste/card_counts.h"
#include "probes/paste/prose_versions.h"
#include "probes/paste/scanner.h"
#include "probes/paste/stated.h"
#include "probes/paste/system_names.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30U;

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> words) {
  const std::string lower = lower_case(text.substr(0, 60));
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return lower.starts_with(word) || text.starts_with(word); });
}

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> words) {
  const std::string lower = lower_case(text.substr(text.size() - std::min<std::size_t>(text.size(), 60)));
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return lower.ends_with(word) || text.ends_with(word); });
}

// Blanks, brackets and the small words that stand between a size and what it is the size of.
std::string_view without_fillers(std::string_view text) {
  for (bool again = true; again;) {
    again = false;
    for (std::string_view filler :
         {" ",       "\u00a0",   "(",  ")",  "of ", "de ",  "di ",    "system ", "каждая", "each", "je ",
          "chacune", "cada una", "的", "の", "da ", "van ", "total ", "main ",   "DDR4 ",  "DDR5 "}) {
      if (!text.starts_with(filler)) continue;
      text.remove_prefix(filler.size());
      again = true;
    }
  }
  return text;
}

bool names_video_memory(std::string_view after) {
  return starts_with_any(without_fillers(after),
                         {"vram", "video", "显存", "顯存", "видеопам", "gpu mem", "gddr", "hbm"});
}

bool names_memory(std::string_view after) {
  if (names_video_memory(after)) return false;
  return starts_with_any(
      without_fillers(after),
      {"ram", "ddr", "memory", "memoria", "memória", "mémoire", "arbeitsspeicher", "内存", "記憶體", "メモリ", "озу",
       "ОЗУ", "оператив", "메모리", "램", "mem", "speicher", "pamięci", "geheugen"});
}

bool labels_memory(std::string_view before) {
  before = trimmed(before);
  for (std::string_view mark : {":", "：", "=", "-"}) {
    if (before.ends_with(mark)) before = trimmed(before.substr(0, before.size() - mark.size()));
  }
  for (std::string_view mark : {",", ";", "/", "(", "|", "，", "、", "；", "："}) {
    const std::size_t at = before.rfind(mark);
    if (at != std::string_view::npos) before = trimmed(before.substr(at + mark.size()));
  }
  for (std::string_view bullet : {"- ", "* ", "• ", "+ "}) {
    if (before.starts_with(bullet)) before = trimmed(before.substr(bullet.size()));
  }
  // The whole label counts: "peak memory" and "model memory" are not the machine's.
  const std::string lower = lower_case(before);
  for (std::string_view label : {"ram",
                                 "memory",
                                 "mem",
                                 "system memory",
                                 "system ram",
                                 "total ram",
                                 "total memory",
                                 "installed ram",
                                 "installed memory",
                                 "installed physical memory",
                                 "physical memory",
                                 "main memory",
                                 "host memory",
                                 "host ram",
                                 "cpu memory",
                                 "cpu ram",
                                 "pc ram",
                                 "arbeitsspeicher",
                                 "hauptspeicher",
                                 "speicher",
                                 "mémoire",
                                 "mémoire vive",
                                 "memoria",
                                 "memoria ram",
                                 "memória",
                                 "memória ram",
                                 "内存",
                                 "系统内存",
                                 "記憶體",
                                 "メモリ",
                                 "озу",
                                 "ОЗУ",
                                 "память",
                                 "Память",
                                 "оперативная память",
                                 "메모리",
                                 "램",
                                 "geheugen",
                                 "pamięć",
                                 "bellek"}) {
    if (lower == label || before == label) return true;
  }
  return false;
}

// Lines of code say nothing of this machine.
bool is_statement(std::string_view line) {
  if (line.size() > 400 || line.starts_with("    ") || line.starts_with('\t')) return false;
  for (std::string_view mark : {"\"", " = ", "={", " == ", "{", "│", "|", "import ", "print(", ".py", "File ", "http",
                                "Error", "out of memory", "allocated"}) {
    if (line.find(mark) != std::string_view::npos) return false;
  }
  return true;
}

struct Found {
  Gpu gpu;
  std::size_t count = 1;
  std::size_t begin = 0;  // the bytes that tell the card's memory, which tell nothing else
  std::size_t end = 0;
  std::size_t name_begin = 0;  // where the card is first spoken of, be it by name or by size
};

bool plausible(std::uint64_t bytes) { return bytes >= gibibyte && bytes <= 1024 * gibibyte; }

bool plausible_memory(std::uint64_t bytes) { return bytes >= gibibyte && bytes <= std::uint64_t{64} * 1024 * gibibyte; }

// Whether cards of this name are sold with this much memory.
bool is_size_of(std::string_view name, std::uint64_t size) {
  const auto card = known_card(name);
  return card && std::find(card->bytes.begin(), card->bytes.end(), size) != card->bytes.end();
}

// "RTX 3090 24GB", "RTX 4090 (24 GB each)", "RTX 5090 de 32 GB", "RTX 3090 with 24 GB VRAM".
std::optional<Found> card_with_size(std::string_view line, const NamedCard& name) {
  Scanner scanner(line, name.end);
  scanner.take("s");   // the plural
  bool apart = false;  // a word or comma in between: the size must be named as the card's
  for (bool again = true; again;) {
    again = false;
    scanner.skip_blanks();
    for (std::string_view word : {"(", "-", "de ", "da ", "на "}) again = again || scanner.take(word);
    for (std::string_view word : {",", "，", "/", ":", "：", "、", "with ", "mit ", "avec ", "con ", "com ", "с "}) {
      if (!scanner.take(word)) continue;
      again = true;
      apart = true;
    }
  }
  Found found;
  found.begin = scanner.at();
  Scanner times = scanner;  // "(2x24GB)"
  if (times.take_integer() && (times.take("x") || times.take("×") || times.take("*"))) scanner = times;
  const auto size = scanner.take_size();
  if (!size || !plausible(*size) || names_memory(scanner.rest())) return std::nullopt;
  if (apart && !names_video_memory(scanner.rest()) &&
      !is_size_of(line.substr(name.begin, name.end - name.begin), *size)) {
    return std::nullopt;
  }
  found.end = scanner.at();
  found.gpu.total_bytes = size;
  found.count = std::max(count_of(line, name), count_after(scanner.rest()));
  return found;
}

// "24GB RTX 3090", "24 GB VRAM (RTX 3090)".
std::optional<Found> size_before_card(std::string_view line, const NamedCard& name) {
  for (std::size_t at = 0; at < name.begin; ++at) {
    if (std::isdigit(static_cast<unsigned char>(line[at])) == 0) continue;
    Scanner scanner(line.substr(0, name.begin), at);
    const auto size = scanner.take_size();
    if (!size || !plausible(*size)) continue;
    std::string_view between = without_fillers(scanner.rest());
    for (std::string_view word : {"VRAM", "vram", "显存"}) {
      if (between.starts_with(word)) between = without_fillers(between.substr(word.size()));
    }
    if (!between.empty()) continue;
    Found found;
    found.begin = at;
    found.end = scanner.at();
    found.gpu.total_bytes = size;
    found.count = count_before(line.substr(0, at));
    return found;
  }
  return std::nullopt;
}

// A card without its size: machine_in() takes it from the catalogue, where cards of that name are all alike.
std::optional<Found> card_alone(std::string_view line, const NamedCard& name) {
  const auto card = known_card(line.substr(name.begin, name.end - name.begin));
  if (!card) return std::nullopt;
  Found found;
  found.begin = name.begin;
  found.end = name.end;
  found.count = std::max(count_of(line, name), count_after(line.substr(name.end)));
  return found;
}

std::vector<Found> bare_cards_in(std::string_view line) {
  const auto name = bare_card_number(line);
  if (!name) return {};
  const std::string full = "RTX " + std::string(line.substr(name->begin, name->end - name->begin));
  Found found;
  if (const auto sized = card_with_size(line, *name); sized && is_size_of(full, *sized->gpu.total_bytes))
    found = *sized;
  found.begin = found.name_begin = name->begin;
  found.end = std::max(found.end, name->end);
  found.count = count_of(line, *name);
  found.gpu.name = full;
  found.gpu.vendor = "nvidia";
  return {found};
}

std::vector<Found> cards_in(std::string_view line) {
  std::vector<Found> all;
  std::size_t from = 0;
  while (auto name = card_name(line, from)) {
    auto found = card_with_size(line, *name);
    if (!found) found = size_before_card(line, *name);
    if (!found) found = card_alone(line, *name);
    if (found) {
      found->gpu.name = line.substr(name->begin, name->end - name->begin);
      found->gpu.vendor = name->vendor;
      found->name_begin = std::min(name->begin, found->begin);
      all.push_back(std::move(*found));
    }
    from = std::max(name->end, found ? found->end : 0);
    if (all.size() >= 16) break;
  }
  return all.empty() ? bare_cards_in(line) : all;
}

struct FoundMemory {
  std::uint64_t bytes = 0;
  std::size_t begin = 0;
};

// A size that is called memory, outside of what tells a card's.
std::optional<FoundMemory> memory_in(std::string_view line, const std::vector<Found>& cards) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (std::isdigit(static_cast<unsigned char>(line[at])) == 0) continue;
    const auto inside =
        std::find_if(cards.begin(), cards.end(), [&](const Found& card) { return at >= card.begin && at < card.end; });
    if (inside != cards.end()) {
      at = inside->end - 1;
      continue;
    }
    Scanner scanner(line, at);
    const auto size = scanner.take_size();
    if (!size) {
      while (at + 1 < line.size() && std::isdigit(static_cast<unsigned char>(line[at + 1])) != 0) ++at;
      continue;
    }
    const bool before = labels_memory(line.substr(0, at)) && !names_video_memory(scanner.rest());
    if (plausible_memory(*size) && (before || names_memory(scanner.rest()))) return FoundMemory{*size, at};
    at = scanner.at() - 1;
  }
  return std::nullopt;
}

// "RAM: 64 GB", "32GB RAM" and "I have 64 GB of RAM", but not "loading it took 32 GB of RAM".
bool is_memory_statement(std::string_view line, const FoundMemory& memory) {
  constexpr std::string_view having[] = {"have ",  "got ",   "'ve ", "’ve ", "has ", "with ", "ai ", "habe ", "hat ",
                                         "tengo ", "tenho ", "ho ",  "mam ", "heb ", "меня ", "有",  "は"};
  std::string_view before = trimmed(line.substr(0, memory.begin));
  for (std::string_view bullet : {"-", "*", "•"}) {
    if (before.starts_with(bullet)) before = trimmed(before.substr(bullet.size()));
  }
  if (before.empty()) return line.size() - memory.begin < 40;
  if (labels_memory(before) && before.size() < 40) return true;
  const std::string spaced = lower_case(before) + " ";
  return ends_with_any(before, {":"}) || std::any_of(std::begin(having), std::end(having), [&](std::string_view word) {
           return spaced.find(word) != std::string::npos;
         });
}

// "RAM: 64 GB" and "OS: Ubuntu 22.04" on lines of their own.
std::string_view labelled(std::string_view line, std::initializer_list<std::string_view> labels) {
  line = trimmed(line);
  for (std::string_view bullet : {"- ", "* ", "• "}) {
    if (line.starts_with(bullet)) line = trimmed(line.substr(bullet.size()));
  }
  for (std::string_view label : labels) {
    if (!starts_with_any(line, {label})) continue;
    const std::string_view rest = trimmed(line.substr(label.size()));
    for (std::string_view colon : {":", "："}) {
      if (rest.starts_with(colon)) return trimmed(rest.substr(colon.size()));
    }
  }
  return {};
}

void number_cards(std::vector<Gpu>& gpus) {
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const bool alike = gpus[i].name == gpus.front().name;
    if (alike || i == 0) gpus[i].index = static_cast<int>(i);
  }
  const bool mixed = std::any_of(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return gpu.name != gpus[0].name; });
  for (Gpu& gpu : gpus) {
    if (mixed) gpu.index.reset();  // CUDA's order of different cards is not said
  }
}

}  // namespace

Stated prose(const Lines& lines) {
  Stated stated;
  std::vector<Gpu> gpus;
  for (std::string_view line : lines) {
    if (line.empty() || !is_statement(line)) continue;
    const bool digits = line.find_first_of("0123456789") != std::string_view::npos;
    std::vector<Found> cards = digits ? cards_in(line) : std::vector<Found>{};
    std::optional<FoundMemory> memory = digits ? memory_in(line, cards) : std::nullopt;
    const bool labelled_size = memory && memory->begin <= 24 && labels_memory(line.substr(0, memory->begin));
    const std::size_t part =
        std::min(cards.empty() ? line.size() : cards.front().name_begin, !memory         ? line.size()
                                                                         : labelled_size ? 0
                                                                                         : memory->begin);
    const bool parts = !cards.empty() || memory;
    if (parts && !tells_own_machine(line, part, cards.size() + (memory ? 1 : 0) > 1)) {
      cards.clear();
      memory.reset();
    }
    // Memory alone is more often that of a model than that of a machine.
    if (memory && cards.empty() && !is_memory_statement(line, *memory)) memory.reset();
    for (auto& [name, version] : versions_in(line, cards.empty())) {
      if (stated.versions.empty()) stated.versions_line = line;
      stated.versions.emplace(name, version);
    }
    if (memory && !stated.memory_total) {
      stated.memory_total = memory->bytes;
      stated.memory_line = line;
    }
    const std::string_view system =
        labelled(line, {"os", "operating system", "系统", "система", "Система", "システム"});
    if (!cards.empty() || !system.empty()) {
      const std::string name = system_name_in(line);
      if (!name.empty() && stated.system.empty()) {
        stated.system = name;
        stated.system_line = line;
      }
    }
    if (!gpus.empty()) continue;  // told once; a repetition is the same machine
    if (!cards.empty()) stated.gpus_line = line;
    for (const Found& card : cards) {
      for (std::size_t i = 0; i < card.count && gpus.size() < 64; ++i) gpus.push_back(card.gpu);
    }
  }
  number_cards(gpus);
  if (!gpus.empty()) stated.gpus = std::move(gpus);
  return stated;
}

}  // namespace whyfail::probes::paste
