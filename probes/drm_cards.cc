// Lists /sys/class/drm.
#include "probes/drm_cards.h"

#include <algorithm>

#include "probes/text_lines.h"

namespace whyfail::probes {
namespace {

// "card0"; "card0-DP-1" is a connector and "renderD128" another node of the same card.
bool is_card(std::string_view name) {
  constexpr std::string_view beginning = "card";
  return name.starts_with(beginning) && number_of(name.substr(beginning.size())).has_value();
}

std::string slot_of(const System& system, const std::string& folder) {
  constexpr std::string_view key = "PCI_SLOT_NAME=";
  const auto text = system.read(folder + "/uevent");
  if (!text) return {};
  for (std::string_view line : lines_of(*text)) {
    if (line.starts_with(key)) return std::string(trimmed(line.substr(key.size())));
  }
  return {};
}

}  // namespace

std::vector<DrmCard> drm_cards(const System& system, std::string_view vendor) {
  std::vector<DrmCard> cards;
  for (const std::string& name : system.list("/sys/class/drm")) {
    const std::string folder = "/sys/class/drm/" + name + "/device";
    if (!is_card(name) || trimmed(system.read(folder + "/vendor").value_or("")) != vendor) continue;
    cards.push_back(
        {folder, slot_of(system, folder), std::string(trimmed(system.read(folder + "/device").value_or("")))});
  }
  std::stable_sort(cards.begin(), cards.end(), [](const DrmCard& one, const DrmCard& other) {
    return lower_case(one.pci_address) < lower_case(other.pci_address);
  });
  return cards;
}

}  // namespace whyfail::probes
