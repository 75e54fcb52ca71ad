// Which key of a device_map a name falls under, for names that may be in no tree (key_cover.h: for a whole tree).
#pragma once

#include <string_view>
#include <unordered_map>

#include "fixer/placement/device_value.h"

namespace whyfail::fixer {

class KeyLookup {
 public:
  explicit KeyLookup(const ValueMap& map);  // keeps views into `map`, which must outlive it

  // Longest dotted prefix of `name` that is a key, the key "" last. Null: none.
  const DeviceValue* by_prefix(std::string_view name) const;
  const DeviceValue* exactly(std::string_view key) const;

 private:
  std::unordered_map<std::string_view, const DeviceValue*> values_;
};

}  // namespace whyfail::fixer
