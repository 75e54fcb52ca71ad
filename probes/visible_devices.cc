// Resolves *_VISIBLE_DEVICES.
#include "probes/visible_devices.h"

#include <algorithm>

#include "probes/text_lines.h"

namespace whyfail::probes {

std::optional<Chosen> whole_card(const std::vector<VisibleCard>& cards, std::size_t card) {
  if (!cards[card].mig_enabled) return Chosen{card, std::nullopt, std::nullopt};
  if (cards[card].instances.empty()) return std::nullopt;
  return Chosen{card, 0, std::nullopt};
}

namespace {

std::optional<Chosen> by_index(std::uint64_t index, const std::vector<VisibleCard>& cards,
                               const std::vector<std::size_t>& order) {
  if (order.empty()) {
    if (index >= cards.size()) return std::nullopt;
    return Chosen{std::nullopt, std::nullopt, static_cast<std::size_t>(index)};
  }
  if (index >= order.size()) return std::nullopt;
  return whole_card(cards, order[index]);
}

std::optional<Chosen> by_card_uuid(std::string_view token, const std::vector<VisibleCard>& cards) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (!cards[i].uuid.starts_with(token)) continue;
    if (cards[i].uuid == token) return whole_card(cards, i);
    if (found) return std::nullopt;
    found = i;
  }
  return found ? whole_card(cards, *found) : std::nullopt;
}

std::optional<Chosen> by_instance(std::string_view token, const std::vector<VisibleCard>& cards) {
  std::optional<Chosen> found;
  bool several = false;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    // A driver that only CUDA could ask lists an instance as a card of its own.
    if (cards[i].uuid == token) return Chosen{i, std::nullopt, std::nullopt};
    if (cards[i].uuid.starts_with(token)) {
      several = several || found.has_value();
      found = Chosen{i, std::nullopt, std::nullopt};
    }
    for (std::size_t j = 0; j < cards[i].instances.size(); ++j) {
      const VisibleInstance& instance = cards[i].instances[j];
      if (instance.uuid == token || instance.legacy_name == token) return Chosen{i, j, std::nullopt};
      if (!instance.uuid.starts_with(token)) continue;
      several = several || found.has_value();
      found = Chosen{i, j, std::nullopt};
    }
  }
  return several ? std::nullopt : found;
}

std::optional<Chosen> chosen_by(std::string_view token, const std::vector<VisibleCard>& cards,
                                const std::vector<std::size_t>& order) {
  if (const auto index = number_of(token)) return by_index(*index, cards, order);
  if (token.starts_with("GPU-")) return by_card_uuid(token, cards);
  if (token.starts_with("MIG-")) return by_instance(token, cards);
  return std::nullopt;
}

bool is_instance(const Chosen& choice, const std::vector<VisibleCard>& cards) {
  return choice.card && (choice.instance || cards[*choice.card].uuid.starts_with("MIG-"));
}

}  // namespace

std::vector<Chosen> visible_to_cuda(std::string_view variable, const std::vector<VisibleCard>& cards,
                                    const std::vector<std::size_t>& order) {
  std::vector<Chosen> chosen;
  for (std::string_view part : split_at(variable, ',')) {
    const auto choice = chosen_by(trimmed(part), cards, order);
    if (!choice) break;
    if (std::find(chosen.begin(), chosen.end(), *choice) != chosen.end()) return {};
    chosen.push_back(*choice);
    if (chosen.size() == 1 && is_instance(*choice, cards)) break;  // the only one that the process will see
  }
  return chosen;
}

std::vector<std::size_t> visible_indices(std::string_view variable, std::size_t count,
                                         const std::vector<std::string>& uuids) {
  std::vector<std::size_t> chosen;
  for (std::string_view part : split_at(variable, ',')) {
    const std::string_view token = trimmed(part);
    std::optional<std::size_t> found;
    if (const auto index = number_of(token)) {
      if (*index < count) found = static_cast<std::size_t>(*index);
    } else if (token.starts_with("GPU-")) {
      const auto same = std::find(uuids.begin(), uuids.end(), token);
      if (same != uuids.end()) found = static_cast<std::size_t>(same - uuids.begin());
    }
    if (!found) break;
    if (std::find(chosen.begin(), chosen.end(), *found) == chosen.end()) chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace whyfail::probes
