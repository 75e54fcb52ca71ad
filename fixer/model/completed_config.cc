// What a config class adds to config.json: other names of fields, values derived from other fields, lists built by a
// rule, defaults. All of it is data of the size template.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "fixer/model/size_template_content.h"

namespace whyfail::fixer {

namespace {
constexpr int deepest_derivation = 12;
constexpr std::int64_t longest_built_list = 100000;

std::optional<ConfigValue> scalar(const nlohmann::json& json) {
  if (json.is_null()) return ConfigValue{};
  if (json.is_boolean()) return ConfigValue{json.get<bool>()};
  if (json.is_number_integer()) return ConfigValue{json.get<std::int64_t>()};
  if (json.is_number()) return ConfigValue{json.get<double>()};
  if (json.is_string()) return ConfigValue{json.get<std::string>()};
  return std::nullopt;
}

std::optional<ConfigValue> default_value(const nlohmann::json& json) {
  if (!json.is_array()) return scalar(json);
  auto list = std::make_shared<ValueList>();
  for (const auto& item : json) {
    if (auto value = scalar(item)) list->push_back(std::move(*value));
  }
  return ConfigValue{std::shared_ptr<const ValueList>(std::move(list))};
}
}  // namespace

struct CompletedConfig::State {
  const Config& config;
  const CompletedConfig& self;
  const nlohmann::json& facts;
  std::unordered_map<std::string, std::optional<ConfigValue>> known = {};
  int depth = 0;

  const nlohmann::json* fact(const char* group, const std::string& name) const {
    const auto found_group = facts.find(group);
    if (found_group == facts.end() || !found_group->is_object()) return nullptr;
    const auto found = found_group->find(name);
    return found == found_group->end() ? nullptr : &*found;
  }

  // The field as config.json has it, under this name or another that the config class takes for it. A config without
  // the part ("text_config") holds the part's fields itself.
  std::optional<ConfigValue> given(const std::string& name) const {
    if (auto value = config.field(name)) return value;
    if (const auto* names = fact("names", name); names && names->is_array()) {
      for (const auto& other : *names) {
        if (!other.is_string()) continue;
        if (auto value = config.field(other.get<std::string>())) return value;
      }
    }
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos || config.has_object(name.substr(0, dot)) || separate(name.substr(0, dot))) {
      return std::nullopt;
    }
    return config.field(name.substr(dot + 1));
  }

  // Whether the whole's fields say nothing about the part, though some have the same name.
  bool separate(const std::string& part) const {
    const auto parts = facts.find("separate");
    return parts != facts.end() && parts->is_array() && std::find(parts->begin(), parts->end(), part) != parts->end();
  }

  std::optional<ConfigValue> computed(const std::string& text, const Counters& counters) {
    const auto parsed = Expression::parse(text);
    const auto* expression = std::get_if<Expression>(&parsed);
    if (!expression) return std::nullopt;
    auto value = expression->evaluate(self, counters);
    auto* result = std::get_if<ConfigValue>(&value);
    return result ? std::optional(std::move(*result)) : std::nullopt;
  }

  // {"length": expression, "entries": [[value, condition of i], …, [value]]}: the first entry whose condition holds.
  std::optional<ConfigValue> built_list(const nlohmann::json& rule) {
    if (!rule.is_object() || !rule.contains("length") || !rule.contains("entries")) return std::nullopt;
    const auto length_value = computed(rule["length"].get<std::string>(), {});
    const auto length = length_value ? whole_number(*length_value) : std::nullopt;
    if (!length || *length < 0 || *length > longest_built_list) return std::nullopt;
    auto list = std::make_shared<ValueList>();
    for (std::int64_t i = 0; i < *length; ++i) {
      for (const auto& entry : rule["entries"]) {
        if (!entry.is_array() || entry.empty()) return std::nullopt;
        if (entry.size() > 1) {
          const auto holds = computed(entry[1].get<std::string>(), {i, 0});
          if (!holds) return std::nullopt;
          if (!holds->truthy()) continue;
        }
        auto value = scalar(entry[0]);
        if (!value) return std::nullopt;
        list->push_back(std::move(*value));
        break;
      }
    }
    return ConfigValue{std::shared_ptr<const ValueList>(std::move(list))};
  }

  // What the whole's class gives a part that config.json leaves out; the part's own class may have other defaults.
  const nlohmann::json* of_absent_part(const std::string& name) const {
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos || config.has_object(name.substr(0, dot))) return nullptr;
    const auto* part = fact("absent", name.substr(0, dot));
    if (!part || !part->is_object()) return nullptr;
    const auto found = part->find(name.substr(dot + 1));
    return found == part->end() ? nullptr : &*found;
  }

  // configuration_utils.py: the number of labels is that of id2label, two unless the class says otherwise (bart: 3).
  ConfigValue labels() const {
    if (const auto given_labels = config.entries("id2label")) {
      return ConfigValue{static_cast<std::int64_t>(*given_labels)};
    }
    const auto* fallback = fact("defaults", "num_labels");
    return ConfigValue{fallback && fallback->is_number_integer() ? fallback->get<std::int64_t>() : std::int64_t{2}};
  }

  std::optional<ConfigValue> find(const std::string& name) {
    auto value = given(name);
    if (!value && name == "num_labels") return labels();
    if (value && !value->none()) return value;
    if (!value) {
      if (const auto* absent = of_absent_part(name)) return default_value(*absent);
    }
    if (const auto* text = fact("derived", name); text && text->is_string()) {
      if (auto derived = computed(text->get<std::string>(), {})) return derived;
    }
    if (const auto* rule = fact("lists", name)) {
      if (auto list = built_list(*rule)) return list;
    }
    if (value) return value;
    const auto* fallback = fact("defaults", name);
    return fallback ? default_value(*fallback) : std::nullopt;
  }
};

CompletedConfig::CompletedConfig(const Config& config, const SizeTemplate& size_template)
    : state_(new State{config, *this, size_template.content_->facts}) {}
CompletedConfig::~CompletedConfig() = default;

std::optional<ConfigValue> CompletedConfig::field(std::string_view name) const {
  std::string key(name);
  const auto known = state_->known.find(key);
  if (known != state_->known.end()) return known->second;
  if (state_->depth >= deepest_derivation) return std::nullopt;
  ++state_->depth;
  auto value = state_->find(key);
  --state_->depth;
  state_->known.emplace(std::move(key), value);
  return value;
}

std::optional<std::int64_t> CompletedConfig::number(std::string_view name) const {
  const auto value = field(name);
  return value ? whole_number(*value) : std::nullopt;
}

std::optional<bool> CompletedConfig::flag(std::string_view name) const {
  const auto value = field(name);
  if (!value || !std::holds_alternative<bool>(value->is)) return std::nullopt;
  return std::get<bool>(value->is);
}

}  // namespace whyfail::fixer
