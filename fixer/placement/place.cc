// place(): the call as the fixer asks for it.
#include "fixer/placement/place.h"

#include "fixer/placement/placed_call.h"
#include "fixer/placement/read_not_run.h"

namespace whyfail::fixer {

namespace {

MapArgument as_argument(const DeviceMapArgument& written) {
  MapArgument argument;
  switch (written.kind) {
    case DeviceMapArgument::Kind::none:
      break;
    case DeviceMapArgument::Kind::text:
      argument.kind = MapArgument::Kind::value;
      argument.value = DeviceValue::of_text(written.text);
      break;
    case DeviceMapArgument::Kind::integer:
      argument.kind = MapArgument::Kind::value;
      argument.value = DeviceValue::of_number(written.integer);
      break;
    case DeviceMapArgument::Kind::map:
      argument.kind = MapArgument::Kind::map;
      argument.map = with_values(written.map);
      break;
    case DeviceMapArgument::Kind::other:
      argument.kind = MapArgument::Kind::list;
      break;
  }
  return argument;
}

}  // namespace

PlacementResult place(const ModuleTree& tree, const ClassFacts& facts, const DeviceMapArgument& argument,
                      const std::optional<Budgets>& max_memory, const PlacementMachine& machine,
                      const LoadSettings& settings, const Rules& rules) {
  const MapArgument written = as_argument(argument);
  OrError<PlacedCall> made = placed_call({tree, facts, written, max_memory, machine, settings}, rules);
  if (LibraryError* error = std::get_if<LibraryError>(&made)) return std::move(*error);
  PlacedCall& call = std::get<PlacedCall>(made);
  Placed placed;
  placed.device_map = plain(call.choice.map);
  if (call.budgets) {
    for (const auto& [device, amount] : *call.budgets) placed.max_memory.emplace_back(device, amount.bytes);
  }
  placed.passed_over = std::move(call.passed_over);
  placed.other_orders = std::move(call.other_orders);
  placed.read_not_run = rules_read_not_run(settings, max_memory.has_value(), machine, rules);
  return placed;
}

}  // namespace whyfail::fixer
