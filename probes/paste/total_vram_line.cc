// The start of ComfyUI and of programs that borrowed its lines: "Total VRAM 11264 MB, total RAM 65277 MB",
// "Device: cuda:0 NVIDIA GeForce RTX 2080 Ti : cudaMallocAsync", "pytorch version: 2.5.1+cu124", "** Platform:
// Windows".
#include "probes/paste/scanner.h"
#include "probes/paste/stated.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

// "Device: cuda:0 NAME : allocator".
std::string device_name(std::string_view line, std::uint64_t& index) {
  Scanner scanner(trimmed(line));
  if (!scanner.take("Device: cuda:")) return {};
  const auto number = scanner.take_integer();
  if (!number || *number > 4095 || !scanner.take(" ")) return {};
  index = *number;
  const std::string_view rest = scanner.rest();
  return std::string(trimmed(rest.substr(0, rest.rfind(" : "))));
}

std::string value_after(std::string_view line, std::string_view key) {
  Scanner scanner(trimmed(line));
  if (!scanner.take(key)) return {};
  scanner.skip_blanks();
  return std::string(trimmed(scanner.rest()));
}

}  // namespace

Stated total_vram_line(const Lines& lines) {
  Stated stated;
  std::optional<Gpu> gpu;
  std::string name;
  std::uint64_t index = 0;
  for (std::string_view line : lines) {
    Scanner scanner(trimmed(line));
    if (scanner.take_any_case("Total VRAM ")) {
      const auto total = scanner.take_size();
      if (!total) continue;
      gpu.emplace();
      gpu->total_bytes = total;
      stated.gpus_line = stated.memory_line = line;
      scanner.take(",");
      scanner.skip_blanks();
      if (scanner.take_any_case("total RAM ")) stated.memory_total = scanner.take_size();
      continue;
    }
    if (name.empty()) name = device_name(line, index);
    if (const auto system = value_after(line, "** Platform:"); !system.empty()) {
      stated.system = system;
      stated.system_line = line;
    }
    if (const auto torch = value_after(line, "pytorch version:"); !torch.empty()) {
      stated.versions["torch"] = torch;
      stated.versions_line = line;
    }
    if (const auto python = value_after(line, "** Python version:"); !python.empty()) {
      stated.versions["python"] = python.substr(0, python.find(' '));
    }
  }
  if (!gpu) return {};
  gpu->name = name;
  gpu->vendor = name.empty() ? "" : vendor_of(name);
  gpu->index = static_cast<int>(index);
  stated.gpus.emplace({*gpu});
  return stated;
}

}  // namespace whyfail::probes::paste
