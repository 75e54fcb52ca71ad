// A model's config.json (or the catalogue's row for it): fields by dotted name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fixer/model/expression.h"

namespace whyfail::fixer {

struct ConfigError {
  std::string why;  // "is not JSON (byte 17)", "is no JSON object", "is larger than 16 MiB"
};

class Config : public Fields {
 public:
  static std::variant<Config, ConfigError> parse(std::string_view json);

  // "hidden_size", "text_config.head_dim"; nullopt: not there. Objects and lists of lists are not values.
  std::optional<ConfigValue> field(std::string_view name) const override;
  bool has_object(std::string_view name) const;
  // nullopt: not there, or of another kind.
  std::optional<std::string> text(std::string_view name) const;
  std::optional<std::int64_t> number(std::string_view name) const;
  std::optional<bool> flag(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  std::optional<std::size_t> entries(std::string_view name) const;  // of a list or an object

  Config(Config&&) noexcept;
  Config& operator=(Config&&) noexcept;
  ~Config() override;

 private:
  struct Content;
  explicit Config(std::unique_ptr<Content> content);
  std::unique_ptr<Content> content_;
};

}  // namespace whyfail::fixer
