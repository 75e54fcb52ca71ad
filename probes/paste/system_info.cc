// Windows systeminfo: "OS Name:  Microsoft Windows 11 Home", "Total Physical Memory:  15,742 MB", in the system's
// language.

#include "probes/paste/scanner.h"
#include "probes/paste/stated.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

enum class Field { system, total, available };

struct Label {
  Field field;
  std::string_view text;  // in lower case where the script has one
};

// As systeminfo.exe of Windows 10 and 11 prints them: English, German, French, Spanish, Italian, Portuguese, Russian,
// Polish, Dutch, Turkish, Chinese (both scripts), Japanese, Korean.
constexpr Label labels[] = {{Field::system, "os name"},
                            {Field::system, "betriebssystemname"},
                            {Field::system, "nom du système d'exploitation"},
                            {Field::system, "nom du système d’exploitation"},
                            {Field::system, "nombre del sistema operativo"},
                            {Field::system, "nome so"},
                            {Field::system, "nome sistema operativo"},
                            {Field::system, "nome do sistema operacional"},
                            {Field::system, "nome do so"},
                            {Field::system, "Название ОС"},
                            {Field::system, "Имя ОС"},
                            {Field::system, "nazwa systemu operacyjnego"},
                            {Field::system, "naam van besturingssysteem"},
                            {Field::system, "besturingssysteemnaam"},
                            {Field::system, "os 名称"},
                            {Field::system, "作業系統名稱"},
                            {Field::system, "os 名稱"},
                            {Field::system, "os 名"},
                            {Field::system, "os 이름"},
                            {Field::total, "total physical memory"},
                            {Field::total, "gesamter physischer speicher"},
                            {Field::total, "gesamter physikalischer speicher"},
                            {Field::total, "mémoire physique totale"},
                            {Field::total, "cantidad total de memoria física"},
                            {Field::total, "memoria física total"},
                            {Field::total, "memoria fisica totale"},
                            {Field::total, "memória física total"},
                            {Field::total, "Полный объем физической памяти"},
                            {Field::total, "całkowita pamięć fizyczna"},
                            {Field::total, "totaal fysiek geheugen"},
                            {Field::total, "toplam fiziksel bellek"},
                            {Field::total, "物理内存总量"},
                            {Field::total, "實體記憶體總計"},
                            {Field::total, "物理メモリの合計"},
                            {Field::total, "총 실제 메모리"},
                            {Field::available, "available physical memory"},
                            {Field::available, "verfügbarer physischer speicher"},
                            {Field::available, "verfügbarer physikalischer speicher"},
                            {Field::available, "mémoire physique disponible"},
                            {Field::available, "memoria física disponible"},
                            {Field::available, "memoria fisica disponibile"},
                            {Field::available, "memória física disponível"},
                            {Field::available, "Доступная физическая память"},
                            {Field::available, "dostępna pamięć fizyczna"},
                            {Field::available, "kullanılabilir fiziksel bellek"},
                            {Field::available, "可用的物理内存"},
                            {Field::available, "可用實體記憶體"},
                            {Field::available, "利用できる物理メモリ"},
                            {Field::available, "사용 가능한 실제 메모리"},
                            {Field::available, "beschikbaar fysiek geheugen"},
                            {Field::system, "işletim sistemi adı"}};

const Label* label_of(std::string_view text) {
  const std::string lower = lower_case(text);
  for (const Label& label : labels) {
    if (lower == label.text || text == label.text) return &label;
  }
  return nullptr;
}

std::optional<std::uint64_t> megabytes(std::string_view text) {
  Scanner scanner(text);
  const auto number = scanner.take_grouped();
  scanner.skip_blanks();
  std::size_t length = 0;
  const auto unit = printed_unit(scanner.rest(), length);
  if (!number || !unit || *number > (std::uint64_t{1} << 60U) / *unit) return std::nullopt;
  return *number * *unit;
}

}  // namespace

Stated system_info(const Lines& lines) {
  Stated stated;
  for (std::string_view line : lines) {
    if (line.size() > 400) continue;
    std::size_t colon = line.find(':');
    std::size_t width = 1;
    if (const std::size_t wide = line.find("："); wide < colon) {
      colon = wide;
      width = 3;
    }
    if (colon == std::string_view::npos) continue;
    const Label* label = label_of(trimmed(line.substr(0, colon)));
    if (label == nullptr) continue;
    Scanner value(line, colon + width);
    value.skip_blanks();
    const std::string_view text = trimmed(value.rest());
    if (label->field == Field::system) {
      stated.system = text;
      stated.system_line = line;
    } else if (label->field == Field::total) {
      stated.memory_total = megabytes(text);
      stated.memory_line = line;
    } else {
      stated.memory_available = megabytes(text);
    }
  }
  return stated;
}

}  // namespace whyfail::probes::paste
