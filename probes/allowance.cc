// Constants with their sources.
#include "probes/allowance.h"

namespace whyfail::probes {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30U;

// ComfyUI, comfy/model_management.py (commit a125cd84b054, lines 551 to 561): what it keeps free of every card.
constexpr std::uint64_t reserve = 400 * mebibyte;
constexpr std::uint64_t reserve_on_windows = 600 * mebibyte;  // "higher on Windows because of the shared vram issue"
constexpr std::uint64_t large_card = 15 * gibibyte;
constexpr std::uint64_t more_on_large_card = 100 * mebibyte;
constexpr const char* reserve_source = "ComfyUI model_management.py";

std::string shown(std::uint64_t bytes) { return std::to_string(bytes / mebibyte) + " MiB"; }

Allowance allowance(std::uint64_t bytes, const std::string& what) {
  const std::string term = what + " (the reserve of " + reserve_source + ")";
  return {bytes, shown(bytes) + " for the " + term, term};
}

}  // namespace

Allowance context_allowance(const Gpu& gpu) {
  if (gpu.mps) return {};
  if (gpu.driver_model == "wddm") {
    const bool large = gpu.total_bytes.value_or(0) > large_card;
    const std::uint64_t bytes = reserve_on_windows + (large ? more_on_large_card : 0);
    return allowance(bytes, "context and what Windows wants besides");
  }
  return allowance(reserve, "CUDA context");
}

Allowance desktop_allowance(const Gpu& gpu, const std::optional<OperatingSystem>& system) {
  const bool windows = gpu.driver_model == "wddm" || (system && system->name == "windows");
  if (gpu.mps || gpu.free_bytes || !windows) return {};
  const std::uint64_t bytes = reserve_on_windows;
  return allowance(bytes, "Windows desktop, as what is free is not known");
}

}  // namespace whyfail::probes
