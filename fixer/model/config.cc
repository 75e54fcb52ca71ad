// Reads config.json with nlohmann_json; the whole header stays in this file.
#include "fixer/model/config.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace whyfail::fixer {

namespace {
constexpr std::size_t largest_config = std::size_t{16} << 20;
constexpr std::size_t longest_list = 100000;

std::optional<ConfigValue> plain_value(const nlohmann::json& json) {
  if (json.is_null()) return ConfigValue{};
  if (json.is_boolean()) return ConfigValue{json.get<bool>()};
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    return ConfigValue{json.get<double>()};
  }
  if (json.is_number_integer()) return ConfigValue{json.get<std::int64_t>()};
  if (json.is_number()) return ConfigValue{json.get<double>()};
  if (json.is_string()) return ConfigValue{json.get<std::string>()};
  return std::nullopt;
}
}  // namespace

struct Config::Content {
  nlohmann::json json;

  const nlohmann::json* find(std::string_view name) const {
    const nlohmann::json* at = &json;
    while (at->is_object()) {
      const std::size_t dot = name.find('.');
      const auto found = at->find(std::string(name.substr(0, dot)));
      if (found == at->end()) return nullptr;
      at = &*found;
      if (dot == std::string_view::npos) return at;
      name.remove_prefix(dot + 1);
    }
    return nullptr;
  }
};

Config::Config(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Config::Config(Config&&) noexcept = default;
Config& Config::operator=(Config&&) noexcept = default;
Config::~Config() = default;

std::variant<Config, ConfigError> Config::parse(std::string_view json) {
  if (json.size() > largest_config) return ConfigError{"is larger than 16 MiB"};
  auto content = std::make_unique<Content>();
  content->json = nlohmann::json::parse(json, nullptr, false);
  if (content->json.is_discarded()) return ConfigError{"is not JSON"};
  if (!content->json.is_object()) return ConfigError{"is no JSON object"};
  return Config(std::move(content));
}

std::optional<ConfigValue> Config::field(std::string_view name) const {
  const nlohmann::json* found = content_->find(name);
  if (!found) return std::nullopt;
  if (!found->is_array()) return plain_value(*found);
  if (found->size() > longest_list) return std::nullopt;
  auto list = std::make_shared<ValueList>();
  for (const auto& item : *found) {
    auto value = plain_value(item);
    if (!value) return std::nullopt;
    list->push_back(std::move(*value));
  }
  return ConfigValue{std::shared_ptr<const ValueList>(std::move(list))};
}

bool Config::has_object(std::string_view name) const {
  const nlohmann::json* found = content_->find(name);
  return found && found->is_object();
}

std::optional<std::string> Config::text(std::string_view name) const {
  const nlohmann::json* found = content_->find(name);
  return found && found->is_string() ? std::optional(found->get<std::string>()) : std::nullopt;
}

std::optional<std::int64_t> Config::number(std::string_view name) const {
  const auto value = field(name);
  if (!value || std::holds_alternative<bool>(value->is)) return std::nullopt;
  return whole_number(*value);
}

std::optional<bool> Config::flag(std::string_view name) const {
  const nlohmann::json* found = content_->find(name);
  return found && found->is_boolean() ? std::optional(found->get<bool>()) : std::nullopt;
}

std::vector<std::string> Config::texts(std::string_view name) const {
  std::vector<std::string> result;
  const nlohmann::json* found = content_->find(name);
  if (!found || !found->is_array() || found->size() > longest_list) return result;
  for (const auto& item : *found) {
    if (item.is_string()) result.push_back(item.get<std::string>());
  }
  return result;
}

std::optional<std::size_t> Config::entries(std::string_view name) const {
  const nlohmann::json* found = content_->find(name);
  return found && found->is_structured() ? std::optional(found->size()) : std::nullopt;
}

}  // namespace whyfail::fixer
