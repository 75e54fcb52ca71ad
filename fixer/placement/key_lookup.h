// Which key of a device_map a weight's name falls under.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fixer/placement/device_value.h"

namespace whyfail::fixer {

class KeyLookup {
 public:
  explicit KeyLookup(const ValueMap& map);

  // Longest dotted prefix of `name` that is a key, the key "" last. Null: none.
  const DeviceValue* by_prefix(std::string_view name) const;
  // As before, without the key "".
  const DeviceValue* by_own_prefix(std::string_view name) const;
  // transformers from 5.0 (modeling_utils.py, _load_pretrained_model): the keys joined into one regular expression,
  // those with most dots and then the longest first, matched at the start without a boundary; "." stands for any
  // character. "model.layers.1" takes "model.layers.10" as well.
  const DeviceValue* by_pattern(std::string_view name) const;
  const DeviceValue* exactly(std::string_view key) const;

 private:
  const DeviceValue* longest_prefix(std::string_view name, bool root_counts) const;

  std::unordered_map<std::string, const DeviceValue*> values_;
  std::vector<std::string> pattern_order_;
};

}  // namespace whyfail::fixer
