// Default and given budgets: get_max_memory of accelerate and of transformers 5.
#include "fixer/placement/budgets.h"

#include <algorithm>
#include <map>

#include "fixer/placement/size_text.h"

namespace whyfail::fixer {

LibraryError library_error(std::string type, std::string message) {
  return {std::move(type), std::move(message), {}, {}};
}

Amount operator*(const Amount& amount, double factor) { return {amount.bytes * factor, false}; }

Amount operator+(const Amount& left, const Amount& right) {
  return {left.bytes + right.bytes, left.whole && right.whole};
}

const Amount& smaller(const Amount& left, const Amount& right) { return right.bytes < left.bytes ? right : left; }

Amount* find(BudgetTable& table, const Device& device) {
  for (auto& [key, amount] : table) {
    if (key == device) return &amount;
  }
  return nullptr;
}

const Amount* find(const BudgetTable& table, const Device& device) {
  return find(const_cast<BudgetTable&>(table), device);
}

bool is_number(const Device& device) { return std::holds_alternative<std::int64_t>(device); }

bool is_named(const Device& device, const char* name) {
  const std::string* text = std::get_if<std::string>(&device);
  return text != nullptr && *text == name;
}

std::string device_text(const Device& device) {
  if (const std::string* text = std::get_if<std::string>(&device)) return *text;
  return std::to_string(std::get<std::int64_t>(device));
}

namespace {

OrError<Amount> converted_value(const BudgetValue& value, const Rules& rules) {
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value)) return Amount{static_cast<double>(*whole), true};
  if (const double* real = std::get_if<double>(&value)) return Amount{*real, false};
  return size_of_text(std::get<std::string>(value), rules);
}

OrError<BudgetTable> measured(const PlacementMachine& machine, const Rules& rules) {
  BudgetTable table;
  bool shared_memory = false;
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    const GpuMemory& gpu = machine.gpus[i];
    shared_memory = shared_memory || gpu.integrated;
    if (gpu.unusable) {
      if (rules.unusable_gpu_is_error) return library_error("RuntimeError", "the device cannot be used");
      continue;
    }
    table.emplace_back(static_cast<std::int64_t>(i), Amount{static_cast<double>(gpu.free_bytes), true});
  }
  const Amount ram{static_cast<double>(machine.cpu_available_bytes), true};
  if (machine.mps) {
    table.emplace_back("mps", ram);
  } else if (!(shared_memory && rules.integrated_gpu_takes_ram)) {
    table.emplace_back("cpu", ram);
  }
  return table;
}

// Numbers ascending, then mps, cpu, disk; any other key is refused.
OrError<BudgetTable> in_filling_order(const BudgetTable& given) {
  BudgetTable ordered;
  for (const auto& entry : given) {
    if (is_number(entry.first)) ordered.push_back(entry);
  }
  std::sort(ordered.begin(), ordered.end(), [](const auto& left, const auto& right) {
    return std::get<std::int64_t>(left.first) < std::get<std::int64_t>(right.first);
  });
  for (const char* name : {"mps", "cpu", "disk"}) {
    if (const Amount* amount = find(given, Device(name))) ordered.emplace_back(name, *amount);
  }
  for (const auto& [device, amount] : given) {
    if (!is_number(device) && !is_named(device, "mps") && !is_named(device, "cpu") && !is_named(device, "disk")) {
      return library_error("ValueError", "Device " + device_text(device) +
                                             " is not recognized, available devices are integers(for GPU/XPU), 'mps', "
                                             "'cpu' and 'disk'");
    }
  }
  return ordered;
}

}  // namespace

OrError<BudgetTable> converted(const Budgets& budgets, const Rules& rules) {
  // A dictionary keeps the place of a key's first mention and the value of its last.
  std::map<Device, std::size_t> place_of;
  std::vector<std::pair<Device, const BudgetValue*>> unique;
  for (const auto& [device, value] : budgets) {
    const auto [known, added] = place_of.emplace(device, unique.size());
    if (added) {
      unique.emplace_back(device, &value);
    } else {
      unique[known->second].second = &value;
    }
  }
  BudgetTable table;
  for (const auto& [device, value] : unique) {
    OrError<Amount> amount = converted_value(*value, rules);
    if (LibraryError* error = std::get_if<LibraryError>(&amount)) return std::move(*error);
    table.emplace_back(device, std::get<Amount>(amount));
  }
  return table;
}

OrError<BudgetTable> accelerate_max_memory(const std::optional<BudgetTable>& given, const PlacementMachine& machine,
                                           const Rules& rules) {
  if (!given) return measured(machine, rules);
  if (!rules.budgets_sorted_and_checked) return *given;
  return in_filling_order(*given);
}

Amount unused_bytes(const PlacementMachine& machine, const Device& device) {
  const std::int64_t* index = std::get_if<std::int64_t>(&device);
  if (index == nullptr || *index < 0 || static_cast<std::size_t>(*index) >= machine.gpus.size()) return {};
  const GpuMemory& gpu = machine.gpus[static_cast<std::size_t>(*index)];
  return {static_cast<double>(gpu.reserved_bytes) - static_cast<double>(gpu.allocated_bytes), true};
}

OrError<BudgetTable> transformers_max_memory(const std::optional<BudgetTable>& given, const PlacementMachine& machine,
                                             const Rules& rules) {
  OrError<BudgetTable> basic = accelerate_max_memory(given, machine, rules);
  if (!rules.own_max_memory || std::holds_alternative<LibraryError>(basic)) return basic;
  BudgetTable table = std::get<BudgetTable>(std::move(basic));
  for (auto& [device, amount] : table) {
    if (is_number(device)) amount = amount + unused_bytes(machine, device);
    if (given) {
      if (const Amount* user = find(*given, device)) amount = smaller(*user, amount);
    }
  }
  if (!given) {
    if (Amount* ram = find(table, Device("cpu"))) *ram = *ram * 0.90;
  }
  return table;
}

}  // namespace whyfail::fixer
