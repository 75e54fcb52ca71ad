// Prefix and pattern lookups.
#include "fixer/placement/key_lookup.h"

#include <algorithm>

namespace whyfail::fixer {

namespace {

bool matches_at_start(std::string_view pattern, std::string_view name) {
  if (pattern.size() > name.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '.' && pattern[i] != name[i]) return false;
  }
  return true;
}

}  // namespace

KeyLookup::KeyLookup(const ValueMap& map) {
  for (const auto& [key, value] : map) {
    values_[key] = &value;
    pattern_order_.push_back(key);
  }
  const auto dots = [](const std::string& key) { return std::count(key.begin(), key.end(), '.'); };
  std::stable_sort(pattern_order_.begin(), pattern_order_.end(),
                   [&](const std::string& left, const std::string& right) {
                     return std::pair(dots(left), left.size()) > std::pair(dots(right), right.size());
                   });
}

const DeviceValue* KeyLookup::exactly(std::string_view key) const {
  const auto found = values_.find(std::string(key));
  return found == values_.end() ? nullptr : found->second;
}

const DeviceValue* KeyLookup::longest_prefix(std::string_view name, bool root_counts) const {
  while (!name.empty()) {
    if (const DeviceValue* value = exactly(name)) return value;
    const std::size_t dot = name.rfind('.');
    name = dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
  }
  return root_counts ? exactly("") : nullptr;
}

const DeviceValue* KeyLookup::by_prefix(std::string_view name) const { return longest_prefix(name, true); }

const DeviceValue* KeyLookup::by_own_prefix(std::string_view name) const { return longest_prefix(name, false); }

const DeviceValue* KeyLookup::by_pattern(std::string_view name) const {
  for (const std::string& key : pattern_order_) {
    if (matches_at_start(key, name)) return exactly(key);
  }
  return nullptr;
}

}  // namespace whyfail::fixer
