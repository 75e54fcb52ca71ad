// Puts the cards of all vendors into one list.
#include "probes/gpus.h"

#include <algorithm>
#include <utility>

#include "probes/amd_cards.h"
#include "probes/byte_size.h"
#include "probes/intel_cards.h"
#include "probes/nvidia_cards.h"
#include "probes/text_lines.h"

namespace whyfail::probes {
namespace {

enum class Vendor { nvidia, amd, intel };

// torch names the vendor that it was built for in its local version: 2.3.1+cu121, 2.5.1+rocm6.2, 2.6.0+xpu.
Vendor owner_of_keys(const Machine& machine, bool nvidia, bool amd) {
  const auto torch = machine.packages.find("torch");
  const std::string local = torch == machine.packages.end() ? std::string() : lower_case(torch->second);
  if (local.find("+cu") != std::string::npos) return Vendor::nvidia;
  if (local.find("+rocm") != std::string::npos) return Vendor::amd;
  if (local.find("+xpu") != std::string::npos) return Vendor::intel;
  if (nvidia) return Vendor::nvidia;
  return amd ? Vendor::amd : Vendor::intel;
}

void append(std::vector<Card> cards, bool owner, std::vector<Gpu>& keyed, std::vector<Gpu>& others) {
  if (owner) {
    for (Card& card : cards) {
      if (card.gpu.index) keyed.push_back(card.gpu);
    }
  }
  std::stable_sort(cards.begin(), cards.end(),
                   [](const Card& one, const Card& other) { return one.pci_place < other.pci_place; });
  for (Card& card : cards) {
    if (owner && card.gpu.index) continue;
    card.gpu.index.reset();
    others.push_back(std::move(card.gpu));
  }
}

bool vgpu_library(const System& system) {
  constexpr std::string_view library = "libvgpu";
  return system.variable("LD_PRELOAD").value_or("").find(library) != std::string::npos ||
         system.read("/etc/ld.so.preload").value_or("").find(library) != std::string::npos;
}

// HAMi-core's limits: a number with k, m or g; anything else does not count.
std::optional<std::uint64_t> vgpu_limit(const System& system, const Gpu& gpu) {
  const std::string name = "CUDA_DEVICE_MEMORY_LIMIT";
  auto text = gpu.index ? system.variable(name + "_" + std::to_string(*gpu.index)) : std::nullopt;
  if (!text) text = system.variable(name);
  const auto limit = text ? byte_size(trimmed(*text), Gigabyte::binary) : std::nullopt;
  return limit && *limit > 0 ? limit : std::nullopt;
}

void cap_vgpu(const System& system, std::vector<Gpu>& gpus) {
  if (!vgpu_library(system)) return;
  for (Gpu& gpu : gpus) {
    const auto limit = gpu.vendor == "nvidia" ? vgpu_limit(system, gpu) : std::nullopt;
    if (!limit) continue;
    if (gpu.total_bytes) gpu.total_bytes = std::min(*gpu.total_bytes, *limit);
    if (gpu.free_bytes) gpu.free_bytes = std::min(*gpu.free_bytes, *limit);
    gpu.origin += ", CUDA_DEVICE_MEMORY_LIMIT";
  }
}

void read_apple(const System& system, const DarwinAnswer& answer, Machine& machine, std::vector<std::string>& reasons) {
  if (answer.metal_name.empty()) {
    reasons.push_back("no Metal device on this machine");
    return;
  }
  Gpu gpu;
  gpu.mps = true;
  gpu.name = answer.metal_name;
  gpu.vendor = "apple";
  gpu.unified = true;
  gpu.origin = system.origin() + ": Metal";
  set_figures(gpu, answer.metal_working_set, std::nullopt, reasons);
  if (gpu.total_bytes && machine.memory.available_bytes) {
    gpu.free_bytes = std::min(*gpu.total_bytes, *machine.memory.available_bytes);
  }
  machine.gpus.push_back(std::move(gpu));
}

std::string joined_reasons(const std::vector<std::string>& reasons) {
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? "" : "; ") + reason;
  return text;
}

}  // namespace

void read_gpus(const System& system, Machine& machine) {
  const auto darwin = system.darwin();
  NvidiaCards nvidia = nvidia_cards(system, machine.memory, machine.os && machine.os->wsl);
  const bool linux_kernel = system.kind() == SystemKind::linux_kernel;
  Cards amd = linux_kernel ? amd_cards(system, machine.memory) : Cards{};
  IntelCards intel = intel_cards(system, machine.memory);
  const Vendor owner = owner_of_keys(machine, nvidia.cards.any, amd.any);
  std::vector<std::string> reasons = nvidia.cards.reasons;
  reasons.insert(reasons.end(), amd.reasons.begin(), amd.reasons.end());
  reasons.insert(reasons.end(), intel.cards.reasons.begin(), intel.cards.reasons.end());
  if (darwin) read_apple(system, *darwin, machine, reasons);
  const bool beside_nvidia = !amd.visible.empty() || !intel.cards.visible.empty();
  const bool beside_intel = !amd.visible.empty() || !nvidia.cards.visible.empty();
  if (nvidia.library_missing && !beside_nvidia && !darwin) reasons.push_back(nvidia.missing_reason);
  if (!intel.level_zero_reason.empty() && !beside_intel) reasons.push_back(intel.level_zero_reason);
  std::vector<Gpu> others;
  append(std::move(nvidia.cards.visible), owner == Vendor::nvidia, machine.gpus, others);
  append(std::move(amd.visible), owner == Vendor::amd, machine.gpus, others);
  append(std::move(intel.cards.visible), owner == Vendor::intel, machine.gpus, others);
  machine.gpus.insert(machine.gpus.end(), others.begin(), others.end());
  cap_vgpu(system, machine.gpus);
  machine.gpus_known = nvidia.certain;
  if (!reasons.empty()) machine.unknown["gpus"] = joined_reasons(reasons);
}

}  // namespace whyfail::probes
