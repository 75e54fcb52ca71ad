// nvidia-smi --query-gpu=… --format=csv: a line of column names, then one line a card. With noheader the columns are
// those of the command, if it was pasted too.
#include <algorithm>

#include "probes/paste/scanner.h"
#include "probes/paste/stated.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;

std::vector<std::string> columns_of(std::string_view text) {
  std::vector<std::string> columns;
  for (std::string_view part : split_at(text, ',')) {
    std::string_view name = trimmed(part);
    if (const std::size_t unit = name.find(" ["); unit != std::string_view::npos) name = name.substr(0, unit);
    columns.push_back(lower_case(name));
  }
  return columns;
}

bool has(const std::vector<std::string>& columns, std::string_view name) {
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

// The columns that a command or a heading names; empty if the line is neither.
std::vector<std::string> heading(std::string_view line) {
  constexpr std::string_view option = "--query-gpu";
  if (const std::size_t at = line.find(option); at != std::string_view::npos) {
    Scanner scanner(line, at + option.size());
    if (!scanner.take("=")) scanner.skip_blanks();
    for (const char* quote : {"\"", "'"}) scanner.take(quote);
    return columns_of(scanner.take_until(" \t\"'"));
  }
  std::vector<std::string> columns = columns_of(line);
  const bool names = has(columns, "name") || has(columns, "gpu_name") || has(columns, "index");
  const bool memory = has(columns, "memory.total") || has(columns, "memory.free") || has(columns, "memory.used");
  const bool units = line.find(" [MiB]") != std::string_view::npos;
  return memory && (names || units) ? columns : std::vector<std::string>{};
}

std::optional<std::uint64_t> mebibytes(std::string_view text) {
  if (text.ends_with("MiB")) text.remove_suffix(3);
  const auto number = number_of(text);
  if (!number || *number > (std::uint64_t{1} << 40U)) return std::nullopt;
  return *number * mebibyte;
}

std::optional<Gpu> card(std::string_view line, const std::vector<std::string>& columns) {
  const auto values = split_at(line, ',');
  if (columns.empty() || values.size() != columns.size()) return std::nullopt;
  Gpu gpu;
  gpu.vendor = "nvidia";
  std::optional<std::uint64_t> used;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string_view value = trimmed(values[i]);
    const std::string& column = columns[i];
    if (column == "index") {
      const auto index = number_of(value);
      if (!index || *index > 4095) return std::nullopt;
      gpu.nvidia_index = static_cast<int>(*index);
    }
    if (column == "name" || column == "gpu_name") gpu.name = value;
    if (column == "uuid" || column == "gpu_uuid") gpu.uuid = value;
    if (column == "memory.total") gpu.total_bytes = mebibytes(value);
    if (column == "memory.free") gpu.free_bytes = mebibytes(value);
    if (column == "memory.used") used = mebibytes(value);
    if (column == "driver_model.current" && (value == "WDDM" || value == "TCC" || value == "MCDM")) {
      gpu.driver_model = lower_case(value);
    }
    if (column == "compute_cap") gpu.compute_capability = value;
  }
  if (!gpu.total_bytes && !gpu.free_bytes && !used) return std::nullopt;
  if (!gpu.free_bytes && gpu.total_bytes && used && *used <= *gpu.total_bytes) {
    gpu.free_bytes = *gpu.total_bytes - *used;
  }
  return gpu;
}

}  // namespace

Stated nvidia_smi_csv(const Lines& lines) {
  Stated stated;
  std::vector<Gpu> gpus;
  std::vector<std::string> columns;
  for (std::string_view line : lines) {
    if (line.size() > 1000) continue;
    if (auto found = heading(line); !found.empty()) {
      columns = std::move(found);
    } else if (auto gpu = card(line, columns); gpu && gpus.size() < 4096) {
      if (gpus.empty()) stated.gpus_line = line;
      if (!gpu->nvidia_index) gpu->nvidia_index = static_cast<int>(gpus.size());
      gpus.push_back(std::move(*gpu));
    }
  }
  if (gpus.empty()) return stated;
  const bool alike =
      std::all_of(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return gpu.name == gpus.front().name; });
  for (Gpu& gpu : gpus) {
    if (alike) gpu.index = gpu.nvidia_index;
  }
  stated.gpus = std::move(gpus);
  return stated;
}

}  // namespace whyfail::probes::paste
