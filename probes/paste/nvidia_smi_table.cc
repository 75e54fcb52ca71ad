// The table of nvidia-smi: "|   0  Tesla T4   Off  | 00000000:01:00.0 Off | …" with "14136MiB / 15360MiB" in the next
// row. Drivers 340 to 580, with "Driver-Model" in place of "Persistence-M" on Windows, and the table of MIG devices.
#include <algorithm>
#include <cctype>

#include "probes/paste/scanner.h"
#include "probes/paste/stated.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;

struct Row {
  std::size_t index = 0;
  std::string name;
  std::string model;  // "WDDM", "TCC", "MCDM", else the persistence column
};

bool is_hex(char letter) { return std::isxdigit(static_cast<unsigned char>(letter)) != 0; }

// "00000000:0B:00.0" (older drivers "0000:0B:00.0").
bool is_bus_id(std::string_view text) {
  const auto parts = split_at(text, ':');
  if (parts.size() != 3 || (parts[0].size() != 8 && parts[0].size() != 4)) return false;
  if (parts[1].size() != 2 || parts[2].size() != 4 || parts[2][2] != '.') return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return is_hex(c) || c == ':' || c == '.'; });
}

std::optional<Row> card_row(std::string_view line) {
  const auto cells = split_at(line, '|');
  if (cells.size() < 4) return std::nullopt;
  const auto bus = fields_of(cells[2]);
  if (bus.empty() || !is_bus_id(bus[0])) return std::nullopt;
  auto words = fields_of(cells[1]);
  const auto index = words.empty() ? std::nullopt : number_of(words[0]);
  if (!index || words.size() < 2 || *index > 4095) return std::nullopt;
  Row row;
  row.index = static_cast<std::size_t>(*index);
  const std::string_view last = words.back();
  const bool column = last == "Off" || last == "On" || last == "WDDM" || last == "TCC" || last == "MCDM" ||
                      last == "N/A" || last == "ERR!" || last == "Disabled" || last == "Enabled";
  if (column && words.size() > 2) {
    row.model = last;
    words.pop_back();
  }
  const auto begin = static_cast<std::size_t>(words[1].data() - cells[1].data());
  const auto end = static_cast<std::size_t>(words.back().data() - cells[1].data()) + words.back().size();
  row.name = cells[1].substr(begin, end - begin);
  return row;
}

struct Usage {
  std::uint64_t used = 0;
  std::uint64_t total = 0;
};

// "14136MiB / 15360MiB" somewhere in a row.
std::optional<Usage> usage_in(std::string_view line) {
  for (std::size_t slash = line.find('/'); slash != std::string_view::npos; slash = line.find('/', slash + 1)) {
    std::string_view before = trimmed(line.substr(0, slash));
    if (!before.ends_with("MiB")) continue;
    before.remove_suffix(3);
    std::size_t begin = before.size();
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(before[begin - 1])) != 0) --begin;
    Scanner after(line, slash + 1);
    after.skip_blanks();
    const auto used = number_of(before.substr(begin));
    const auto total = after.take_integer();
    if (!used || !total || !after.take("MiB") || *total > (std::uint64_t{1} << 40U) || *used > *total) continue;
    return Usage{*used * mebibyte, *total * mebibyte};
  }
  return std::nullopt;
}

// A row of the table "MIG devices": GPU, GI, CI, MIG device, then its memory.
struct MigRow {
  std::size_t card = 0;
  std::uint64_t device = 0;
  Usage usage;
};

std::optional<MigRow> mig_row(std::string_view line) {
  const auto cells = split_at(line, '|');
  if (cells.size() < 4) return std::nullopt;
  const auto ids = fields_of(cells[1]);
  const auto usage = usage_in(cells[2]);
  if (ids.size() != 4 || !usage) return std::nullopt;
  const auto card = number_of(ids[0]);
  const auto device = number_of(ids[3]);
  if (!card || !device || *card > 4095) return std::nullopt;
  return MigRow{static_cast<std::size_t>(*card), *device, *usage};
}

// A row of the table "Processes": GPU, (GI, CI from driver 450 on,) PID, type, name, memory.
struct ProcessRow {
  std::size_t card = 0;
  Holder holder;
};

std::optional<ProcessRow> process_row(std::string_view line) {
  const auto cells = split_at(line, '|');
  if (cells.size() != 3 || !trimmed(cells[0]).empty()) return std::nullopt;
  const auto words = fields_of(cells[1]);
  const std::size_t instance_columns = words.size() > 2 && words[1] == "N/A" ? 2 : 0;
  if (words.size() < instance_columns + 5) return std::nullopt;
  const auto card = number_of(words[0]);
  const auto pid = number_of(words[instance_columns + 1]);
  const std::string_view type = words[instance_columns + 2];
  if (!card || *card > 4095 || !pid || (type != "C" && type != "G" && type != "C+G" && type != "M+C")) {
    return std::nullopt;
  }
  ProcessRow row{static_cast<std::size_t>(*card),
                 {static_cast<std::int64_t>(*pid), std::string(words[words.size() - 2]), {}}};
  Scanner used(words.back());
  const auto mebibytes = used.take_integer();
  if (mebibytes && used.take("MiB") && *mebibytes < (std::uint64_t{1} << 40U)) row.holder.bytes = *mebibytes * mebibyte;
  return row;
}

void set_usage(Gpu& gpu, const Usage& usage) {
  gpu.total_bytes = usage.total;
  gpu.free_bytes = usage.total - usage.used;
}

bool mig_enabled(std::string_view line) {
  const auto cells = split_at(line, '|');
  if (cells.size() < 4) return false;
  const auto last = fields_of(cells[3]);
  return !last.empty() && last.back() == "Enabled";
}

// CUDA numbers cards by speed unless told otherwise; only cards that are alike keep nvidia-smi's numbers for sure.
void number_cards(std::vector<Gpu>& gpus) {
  const bool alike =
      std::all_of(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return gpu.name == gpus.front().name; });
  const bool mig = std::any_of(gpus.begin(), gpus.end(), [](const Gpu& gpu) { return gpu.mig; });
  for (Gpu& gpu : gpus) {
    if (mig) {
      gpu.index.reset();
    } else if (alike) {
      gpu.index = gpu.nvidia_index;
    }
  }
  const auto instance = std::find_if(gpus.begin(), gpus.end(), [](const Gpu& gpu) { return gpu.mig; });
  if (instance != gpus.end()) instance->index = 0;  // a program is given the first one
}

}  // namespace

Stated nvidia_smi_table(const Lines& lines) {
  Stated stated;
  std::vector<Gpu> gpus;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (line.find('|') == std::string_view::npos) continue;
    if (const auto row = card_row(line)) {
      if (!gpus.empty() && row->index == 0) gpus.clear();  // a later table replaces an earlier one
      if (gpus.empty()) stated.gpus_line = line;
      Gpu gpu;
      gpu.vendor = "nvidia";
      gpu.name = row->name;
      gpu.nvidia_index = static_cast<int>(row->index);
      if (row->model == "WDDM" || row->model == "TCC" || row->model == "MCDM") {
        gpu.driver_model = lower_case(row->model);
      }
      if (gpus.size() < 4096) gpus.push_back(std::move(gpu));
    } else if (const auto mig = mig_row(line); mig && !gpus.empty()) {
      const auto card = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& gpu) {
        return !gpu.mig && gpu.nvidia_index == static_cast<int>(mig->card);
      });
      if (card == gpus.end() || gpus.size() > 4096) continue;
      Gpu instance = *card;
      instance.mig = true;
      instance.name += " MIG device " + std::to_string(mig->device);
      set_usage(instance, mig->usage);
      gpus.push_back(std::move(instance));
    } else if (const auto usage = usage_in(line); usage && !gpus.empty() && !gpus.back().total_bytes) {
      set_usage(gpus.back(), *usage);
    } else if (auto process = process_row(line)) {
      for (Gpu& gpu : gpus) {
        if (gpu.mig || gpu.nvidia_index != static_cast<int>(process->card) || gpu.holders.size() >= 64) continue;
        gpu.holders.push_back(process->holder);
        gpu.holders_known = true;
      }
    } else if (mig_enabled(line) && !gpus.empty()) {
      gpus.back().free_bytes.reset();  // of the whole card nothing can be had
    }
  }
  if (gpus.empty()) return stated;
  number_cards(gpus);
  stated.gpus = std::move(gpus);
  return stated;
}

}  // namespace whyfail::probes::paste
