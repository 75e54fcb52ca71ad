// A model type's size template: its module tree with shapes written as expressions over the config. Instantiated with a
// config for a release it gives the tree that the library builds, in registration order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "fixer/model/config.h"
#include "fixer/placement/module_tree.h"
#include "kb/release.h"

namespace whyfail::fixer {

struct TemplateError {
  std::string why;  // "config.json says num_hidden_layers = 1000000000, more than any model has"
};

class CompletedConfig;

class SizeTemplate {
 public:
  // `json` as in data/size_templates; nullopt: damaged.
  static std::optional<SizeTemplate> parse(std::string_view json);

  bool exact() const;  // reproduced every tensor of the library's models when it was made
  // Why a config or class goes beyond what was compared with the library: "sizes of llama4 were not …"; empty: it does
  // not.
  std::string not_compared(const Fields& fields, std::string_view class_name) const;
  std::string main_class() const;  // "LlamaForCausalLM"
  bool builds(std::string_view class_name) const;
  bool holds_for(const kb::Release& transformers) const;  // the type exists in that release, with this tree
  // model_type of a part of a composite config: of "text_config", "gemma3_text"; empty: not a composite.
  std::string part_type(std::string_view part) const;

  struct Request {
    std::string class_name;  // class to build; empty: the main class
    DType dtype = DType::float32;
    kb::Release transformers;
  };
  // The tree. At most some 100,000 modules and tensors; a config that asks for more gives an error that names the
  // field.
  std::variant<Module, TemplateError> instantiate(const Fields& fields, const Request& request) const;

  SizeTemplate(SizeTemplate&&) noexcept;
  SizeTemplate& operator=(SizeTemplate&&) noexcept;
  ~SizeTemplate();

 private:
  friend class CompletedConfig;
  struct Content;
  explicit SizeTemplate(std::unique_ptr<Content> content);
  std::unique_ptr<Content> content_;
};

// A config with what the library's config class adds: other names of a field, derived and default values.
class CompletedConfig : public Fields {
 public:
  CompletedConfig(const Config& config, const SizeTemplate& size_template);
  ~CompletedConfig() override;
  std::optional<ConfigValue> field(std::string_view name) const override;
  std::optional<std::int64_t> number(std::string_view name) const;
  std::optional<bool> flag(std::string_view name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Totals over a tree: elements of the parameters (tied ones counted once when `ties` joins them) and bytes of all
// tensors.
struct TreeTotals {
  std::uint64_t parameters = 0;
  std::uint64_t bytes = 0;
};
TreeTotals totals_of(const ModuleTree& tree);

}  // namespace whyfail::fixer
