// Takes components off the end of a name until what is left is a key.
#include "fixer/placement/key_lookup.h"

namespace whyfail::fixer {

KeyLookup::KeyLookup(const ValueMap& map) {
  for (const auto& [key, value] : map) values_[key] = &value;
}

const DeviceValue* KeyLookup::exactly(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : found->second;
}

const DeviceValue* KeyLookup::by_prefix(std::string_view name) const {
  while (!name.empty()) {
    if (const DeviceValue* value = exactly(name)) return value;
    const std::size_t dot = name.rfind('.');
    name = dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
  }
  return exactly("");
}

}  // namespace whyfail::fixer
