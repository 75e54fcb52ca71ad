// Budgets by device as the libraries keep them while they place a model: a small ordered dictionary of numbers.
#pragma once

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "fixer/placement/place.h"
#include "fixer/placement/rules.h"

namespace whyfail::fixer {

// A value, or the error that the library raises instead.
template <typename T>
using OrError = std::variant<T, LibraryError>;

LibraryError library_error(std::string type, std::string message);

// A number of bytes as Python holds it. `whole`: an int, else a float; the two differ only in error texts and where
// the library asks for an int. Exact below 2^53 bytes (8 PiB).
struct Amount {
  double bytes = 0;
  bool whole = true;
};

Amount operator*(const Amount& amount, double factor);  // always a float
Amount operator+(const Amount& left, const Amount& right);
const Amount& smaller(const Amount& left, const Amount& right);  // the left one when equal

// Keys in insertion order, each once.
using BudgetTable = std::vector<std::pair<Device, Amount>>;

Amount* find(BudgetTable& table, const Device& device);
const Amount* find(const BudgetTable& table, const Device& device);
bool is_number(const Device& device);                   // 0, 1, … : a GPU by index
bool is_named(const Device& device, const char* name);  // "cpu", "disk", "mps"
std::string device_text(const Device& device);          // "0", "cpu"

// The user's max_memory with strings turned into bytes, in the user's order. The library changes the caller's
// dictionary in place the same way.
OrError<BudgetTable> converted(const Budgets& budgets, const Rules& rules);

// accelerate/utils/modeling.py get_max_memory. `given`: nothing when the user gave no max_memory.
OrError<BudgetTable> accelerate_max_memory(const std::optional<BudgetTable>& given, const PlacementMachine& machine,
                                           const Rules& rules);

// transformers/integrations/accelerate.py get_max_memory: what transformers 5 uses itself. Before it had its own
// (rules.own_max_memory is false) this is accelerate's.
OrError<BudgetTable> transformers_max_memory(const std::optional<BudgetTable>& given, const PlacementMachine& machine,
                                             const Rules& rules);

// Bytes that this process has reserved on a GPU and does not use.
Amount unused_bytes(const PlacementMachine& machine, const Device& device);

}  // namespace whyfail::fixer
