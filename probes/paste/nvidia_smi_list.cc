// nvidia-smi -L: "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-4413…)" and below it "  MIG 3g.20gb  Device  0: (UUID:
// MIG-e3b4…)". The same lines stand in collect_env under "GPU models and configuration", there without the uuid.
#include <algorithm>

#include "probes/paste/scanner.h"
#include "probes/paste/stated.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

std::string uuid_in(std::string_view line) {
  constexpr std::string_view mark = "(UUID: ";
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) return {};
  Scanner scanner(line, at + mark.size());
  return std::string(trimmed(scanner.take_until(")")));
}

std::optional<Gpu> card(std::string_view line) {
  Scanner scanner(trimmed(line));
  if (!scanner.take("GPU ")) return std::nullopt;
  const auto index = scanner.take_integer();
  if (!index || *index > 4095 || !scanner.take(": ")) return std::nullopt;
  Gpu gpu;
  gpu.name = trimmed(scanner.take_until("("));
  gpu.uuid = uuid_in(line);
  gpu.nvidia_index = static_cast<int>(*index);
  gpu.vendor = "nvidia";
  if (gpu.name.empty() || gpu.uuid.empty()) return std::nullopt;
  return gpu;
}

std::optional<Gpu> instance(std::string_view line, const Gpu& parent) {
  Scanner scanner(trimmed(line));
  if (!scanner.take("MIG ")) return std::nullopt;
  scanner.skip_blanks();
  const std::string_view profile = scanner.take_until(" \t");
  Gpu gpu = parent;
  gpu.name += " MIG " + std::string(profile);
  gpu.uuid = uuid_in(line);
  gpu.mig = true;
  if (!gpu.uuid.starts_with("MIG-")) return std::nullopt;
  return gpu;
}

}  // namespace

Stated nvidia_smi_list(const Lines& lines) {
  Stated stated;
  std::vector<Gpu> gpus;
  bool any_instance = false;
  Gpu parent;
  for (std::string_view line : lines) {
    if (const auto found = card(line)) {
      if (found->nvidia_index == 0) gpus.clear();
      if (gpus.empty()) stated.gpus_line = line;
      parent = *found;
      gpus.push_back(parent);
    } else if (!gpus.empty() && gpus.size() < 4096) {
      if (auto part = instance(line, parent)) {
        if (!any_instance) part->index = 0;  // a program is given the first one
        any_instance = true;
        gpus.push_back(std::move(*part));
      }
    }
  }
  if (gpus.empty()) return stated;
  const bool alike =
      std::all_of(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return gpu.name == gpus.front().name; });
  for (Gpu& gpu : gpus) {
    if (!any_instance && alike) gpu.index = gpu.nvidia_index;
  }
  stated.gpus = std::move(gpus);
  return stated;
}

}  // namespace whyfail::probes::paste
