// AMD cards from sysfs.
#include "probes/amd_cards.h"

#include <algorithm>
#include <limits>

#include "probes/drm_cards.h"
#include "probes/text_lines.h"
#include "probes/visible_devices.h"

namespace whyfail::probes {
namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30U;

struct AmdMemory {
  std::optional<std::uint64_t> vram_total;
  std::optional<std::uint64_t> vram_used;
  std::optional<std::uint64_t> gtt_total;
  std::optional<std::uint64_t> gtt_used;
};

// Sums of these must not overflow; no machine has 2^60 bytes.
std::optional<std::uint64_t> plausible(std::optional<std::uint64_t> bytes) {
  return bytes && *bytes < (std::uint64_t{1} << 60U) ? bytes : std::nullopt;
}

AmdMemory memory_files(const System& system, const DrmCard& card) {
  const auto number = [&](const char* name) {
    const auto text = system.read(card.folder + "/" + name);
    return text ? plausible(number_of(*text)) : std::nullopt;
  };
  return {number("mem_info_vram_total"), number("mem_info_vram_used"), number("mem_info_gtt_total"),
          number("mem_info_gtt_used")};
}

Figure difference(std::optional<std::uint64_t> from, std::optional<std::uint64_t> take) {
  if (!from || !take) return std::nullopt;
  return static_cast<std::int64_t>(*from) - static_cast<std::int64_t>(*take);
}

// Without the driver's word: the rule of Ollama (discover/amd.go), a small carve-out beside a large GTT.
bool looks_integrated(const AmdMemory& memory) {
  return memory.vram_total && memory.gtt_total && *memory.vram_total <= 4 * gibibyte &&
         *memory.gtt_total >= 8 * gibibyte && *memory.gtt_total >= 4 * *memory.vram_total;
}

// How much of the machine's memory the GPU may map; the kernel's TTM has its own limit, in pages of 4096.
std::optional<std::uint64_t> mappable(const System& system, const AmdMemory& memory) {
  const auto text = system.read("/sys/module/ttm/parameters/pages_limit");
  const auto pages = text ? number_of(*text) : std::nullopt;
  if (!pages || !memory.gtt_total || *pages > (std::uint64_t{1} << 48U)) return memory.gtt_total;
  return std::min(*memory.gtt_total, *pages * 4096);
}

void set_apu(Gpu& gpu, const System& system, const AmdMemory& files, const Memory& memory,
             std::vector<std::string>& reasons) {
  gpu.unified = true;
  const auto shared = mappable(system, files);
  if (!files.vram_total || !shared) return;
  const Figure total = static_cast<std::int64_t>(*files.vram_total + *shared);
  const Figure own = difference(files.vram_total, files.vram_used);
  Figure left = difference(shared, files.gtt_used);
  Figure free;
  if (own && left && memory.available_bytes) {
    left = std::min(*left, static_cast<std::int64_t>(std::min(*memory.available_bytes, std::uint64_t{1} << 60U)));
    free = *own + *left;
  } else if (!memory.available_bytes) {
    reasons.push_back(gpu.name + " shares the machine's memory, of which the free part is not known (meminfo)");
  }
  set_figures(gpu, total, free, reasons);
}

std::string first_word_of_file(const System& system, const std::string& path) {
  return std::string(trimmed(system.read(path).value_or("")));
}

Gpu gpu_of(const System& system, const DrmCard& card, const Memory& memory, std::vector<std::string>& reasons) {
  Gpu gpu;
  gpu.vendor = "amd";
  gpu.name = first_word_of_file(system, card.folder + "/product_name");
  const std::string unique = first_word_of_file(system, card.folder + "/unique_id");
  if (!unique.empty()) gpu.uuid = "GPU-" + unique;
  gpu.origin = system.origin() + ": " + card.folder;
  const std::string shown = gpu.name.empty() ? "the AMD GPU " + card.pci_address : gpu.name;
  const AmdMemory files = memory_files(system, card);
  const bool apu = system.amd_fusion(card.pci_address).value_or(looks_integrated(files));
  Gpu named = gpu;
  named.name = shown;  // reasons need a name even where the driver gives none
  if (!files.vram_total) {
    named.unified = apu;
    reasons.push_back("mem_info_vram_total of " + shown + " cannot be read");
  } else if (apu) {
    set_apu(named, system, files, memory, reasons);
  } else {
    set_figures(named, static_cast<std::int64_t>(*files.vram_total), difference(files.vram_total, files.vram_used),
                reasons);
  }
  named.name = gpu.name;
  return named;
}

std::vector<std::size_t> visible(const System& system, const std::vector<std::string>& uuids) {
  const auto variables = system.environment();
  std::vector<std::size_t> left;
  if (const auto rocr = variables.find("ROCR_VISIBLE_DEVICES"); rocr != variables.end()) {
    left = visible_indices(rocr->second, uuids.size(), uuids);
  } else {
    for (std::size_t i = 0; i < uuids.size(); ++i) left.push_back(i);
  }
  auto hip = variables.find("HIP_VISIBLE_DEVICES");
  if (hip == variables.end()) hip = variables.find("CUDA_VISIBLE_DEVICES");
  if (hip == variables.end()) return left;
  std::vector<std::size_t> chosen;
  for (std::size_t i : visible_indices(hip->second, left.size(), {})) chosen.push_back(left[i]);
  return chosen;
}

}  // namespace

Cards amd_cards(const System& system, const Memory& memory) {
  Cards cards;
  const std::vector<DrmCard> found = drm_cards(system, "0x1002");
  cards.any = !found.empty();
  std::vector<std::string> uuids;
  for (const DrmCard& card : found) {
    uuids.push_back("GPU-" + first_word_of_file(system, card.folder + "/unique_id"));
  }
  int key = 0;
  for (std::size_t place : visible(system, uuids)) {
    Gpu gpu = gpu_of(system, found[place], memory, cards.reasons);
    gpu.index = key++;
    cards.visible.push_back({std::move(gpu), place});
  }
  return cards;
}

}  // namespace whyfail::probes
