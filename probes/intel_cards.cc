// Intel GPUs.
#include "probes/intel_cards.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "probes/drm_cards.h"
#include "probes/text_lines.h"

namespace whyfail::probes {
namespace {

constexpr std::size_t whole = std::numeric_limits<std::size_t>::max();
using Place = std::pair<std::size_t, std::size_t>;  // card, and its tile or `whole`

// Level Zero specification, environment variables: without a mask, or with an empty one, everything is there.
std::optional<std::string> mask_of(const System& system) { return system.variable("ZE_AFFINITY_MASK"); }

std::vector<Place> flat_places(const std::vector<LevelZeroDevice>& devices, const std::optional<std::string>& mask) {
  std::vector<Place> all;
  for (std::size_t card = 0; card < devices.size(); ++card) {
    for (std::size_t tile = 0; tile < devices[card].tiles.size(); ++tile) all.emplace_back(card, tile);
  }
  if (!mask) return all;
  std::set<std::uint64_t> indices;
  for (std::string_view token : split_at(*mask, ',')) {
    if (const auto index = number_of(token); index && *index < all.size()) indices.insert(*index);
  }
  std::vector<Place> chosen;
  for (std::uint64_t index : indices) chosen.push_back(all[static_cast<std::size_t>(index)]);
  return chosen;
}

std::vector<Place> composite_places(const std::vector<LevelZeroDevice>& devices,
                                    const std::optional<std::string>& mask) {
  std::set<Place> chosen;
  for (std::size_t card = 0; !mask && card < devices.size(); ++card) chosen.emplace(card, whole);
  for (std::string_view token : split_at(mask ? std::string_view(*mask) : std::string_view(), ',')) {
    const std::size_t dot = token.find('.');
    const auto card = number_of(token.substr(0, dot));
    if (!card || *card >= devices.size()) continue;
    const auto place = static_cast<std::size_t>(*card);
    if (dot == std::string_view::npos) {
      chosen.emplace(place, whole);
    } else if (const auto tile = number_of(token.substr(dot + 1)); tile && *tile < devices[place].tiles.size()) {
      chosen.emplace(place, static_cast<std::size_t>(*tile));
    }
  }
  std::vector<Place> places;
  for (const Place& place : chosen) {
    if (place.second == whole || !chosen.contains({place.first, whole})) places.push_back(place);
  }
  return places;
}

Figure sum(const std::vector<LevelZeroTile>& tiles, Figure LevelZeroTile::*part) {
  std::int64_t total = 0;
  for (const LevelZeroTile& tile : tiles) {
    const Figure& figure = tile.*part;
    constexpr auto most = std::int64_t{1} << 56U;
    if (!figure || *figure > most || *figure < -most || total > most) return std::nullopt;
    total += *figure;
  }
  return tiles.empty() ? std::nullopt : Figure(total);
}

Gpu gpu_of(const System& system, const LevelZeroDevice& device, std::size_t tile, const Memory& memory,
           std::vector<std::string>& reasons) {
  Gpu gpu;
  gpu.vendor = "intel";
  gpu.name = device.name;
  gpu.uuid = device.uuid;
  gpu.unified = device.integrated;
  gpu.origin = system.origin() + ": Level Zero";
  const bool card = tile == whole;
  const Figure total = card ? sum(device.tiles, &LevelZeroTile::total) : device.tiles[tile].total;
  const Figure free = card ? sum(device.tiles, &LevelZeroTile::free) : device.tiles[tile].free;
  set_figures(gpu, total, free, reasons);
  if (gpu.unified && gpu.free_bytes && memory.available_bytes) {
    gpu.free_bytes = std::min(*gpu.free_bytes, *memory.available_bytes);
  }
  return gpu;
}

void add_from_level_zero(const System& system, const Memory& memory, const LevelZeroAnswer& answer, Cards& cards) {
  cards.any = !answer.devices.empty();
  const auto hierarchy = system.variable("ZE_FLAT_DEVICE_HIERARCHY");
  const auto places = hierarchy == "COMPOSITE" ? composite_places(answer.devices, mask_of(system))
                                               : flat_places(answer.devices, mask_of(system));
  int key = 0;
  for (const auto& [card, tile] : places) {
    Gpu gpu = gpu_of(system, answer.devices[card], tile, memory, cards.reasons);
    gpu.index = key++;
    cards.visible.push_back({std::move(gpu), cards.visible.size()});
  }
}

}  // namespace

IntelCards intel_cards(const System& system, const Memory& memory) {
  IntelCards answer;
  const auto level_zero = system.level_zero();
  if (level_zero && level_zero->state.ok()) {
    add_from_level_zero(system, memory, *level_zero, answer.cards);
    return answer;
  }
  if (system.kind() != SystemKind::linux_kernel) return answer;
  for (const DrmCard& card : drm_cards(system, "0x8086")) {
    Gpu gpu;
    gpu.vendor = "intel";
    gpu.name = "Intel GPU" + (card.device_id.empty() ? "" : " (PCI device " + card.device_id + ")");
    gpu.origin = system.origin() + ": " + card.folder;
    answer.cards.visible.push_back({std::move(gpu), answer.cards.visible.size()});
  }
  answer.cards.any = !answer.cards.visible.empty();
  if (answer.cards.any) {
    answer.level_zero_reason = "the memory of the Intel GPU is told by Level Zero, which could not be asked";
  }
  return answer;
}

}  // namespace whyfail::probes
