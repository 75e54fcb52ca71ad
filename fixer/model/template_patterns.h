// A size template's patterns as they are in one release: modules and tensors with their expressions, read from JSON.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fixer/model/size_template_content.h"

namespace whyfail::fixer {

using Json = nlohmann::json;

inline constexpr int deepest_template = 24;

struct TensorPattern {
  std::string name;
  std::vector<Expression> shape;
  std::optional<Expression> condition;
  std::optional<DType> dtype;  // none: what the model is loaded in
  bool persistent = true;
};

struct ClassChoice {
  std::string name;
  std::string part;  // must exist for this class; empty: need not
  std::optional<Expression> condition;
};

struct ModulePattern {
  std::string name;
  std::vector<ClassChoice> classes;  // the first that applies
  std::string activation;            // field whose text names the class, where that is a known one
  std::optional<Expression> repeat;
  std::optional<Expression> condition;
  std::string beside;  // exists only where this other part of its parent exists
  bool may_be_empty = false;
  std::vector<TensorPattern> parameters;
  std::vector<TensorPattern> buffers;
  std::vector<ModulePattern> children;
};

// Keeps the first error; everything else returns early once there is one.
struct Problem {
  std::string why;
  bool fail(std::string text) {
    if (why.empty()) why = std::move(text);
    return false;
  }
};

class PatternReader {
 public:
  PatternReader(const kb::Release& release, Problem& problem) : release_(release), problem_(problem) {}

  bool module(const Json& json, ModulePattern& pattern, int depth) {
    if (depth > deepest_template || !json.is_object()) return problem_.fail("the size template is damaged");
    pattern.name = json.value("name", "");
    pattern.beside = json.value("beside", "");
    pattern.may_be_empty = json.value("empty", false);
    pattern.activation = json.value("activation", "");
    if (!classes(json, pattern)) return false;
    if (!expression(json, "repeat", pattern.repeat) || !expression(json, "if", pattern.condition)) return false;
    if (!tensors(json, "parameters", pattern.parameters) || !tensors(json, "buffers", pattern.buffers)) return false;
    const auto children = json.find("modules");
    if (children == json.end()) return true;
    for (const Json& child : *children) {
      if (!applies(child)) continue;
      pattern.children.emplace_back();
      if (!module(child, pattern.children.back(), depth + 1)) return false;
    }
    return true;
  }

  // "from": first release that has it, "before": first that no longer has it.
  bool applies(const Json& json) const {
    if (!json.is_object()) return true;
    const auto from = json.find("from");
    if (from != json.end() && from->is_string()) {
      const auto release = kb::Release::parse(from->get<std::string>());
      if (release && release_ < *release) return false;
    }
    const auto before = json.find("before");
    if (before != json.end() && before->is_string()) {
      const auto release = kb::Release::parse(before->get<std::string>());
      if (release && release_ >= *release) return false;
    }
    return true;
  }

 private:
  bool classes(const Json& json, ModulePattern& pattern) {
    const auto found = json.find("class");
    if (found == json.end()) return problem_.fail("the size template lacks a class");
    if (found->is_string()) {
      pattern.classes.push_back({found->get<std::string>(), "", std::nullopt});
      return true;
    }
    for (const Json& choice : *found) {
      if (!choice.is_array() || choice.empty()) return problem_.fail("the size template is damaged");
      ClassChoice made{choice[0].get<std::string>(), choice.size() > 1 ? choice[1].get<std::string>() : "", {}};
      if (choice.size() > 2 && !parse(choice[2], made.condition)) return false;
      pattern.classes.push_back(std::move(made));
    }
    return true;
  }

  bool parse(const Json& text, std::optional<Expression>& result) {
    if (text.is_number_integer()) return parse(Json(std::to_string(text.get<std::int64_t>())), result);
    if (!text.is_string()) return problem_.fail("the size template is damaged");
    auto parsed = Expression::parse(text.get<std::string>());
    if (auto* error = std::get_if<ExpressionError>(&parsed)) return problem_.fail("size template: " + error->why);
    result = std::get<Expression>(std::move(parsed));
    return true;
  }
  bool expression(const Json& json, const char* key, std::optional<Expression>& result) {
    const auto found = json.find(key);
    return found == json.end() || parse(*found, result);
  }

  bool tensors(const Json& json, const char* key, std::vector<TensorPattern>& result) {
    const auto list = json.find(key);
    if (list == json.end()) return true;
    for (const Json& item : *list) {
      if (!item.is_array() || item.size() < 2) return problem_.fail("the size template is damaged");
      const Json options = item.size() > 2 ? item[2] : Json::object();
      if (!applies(options)) continue;
      TensorPattern pattern;
      pattern.name = item[0].get<std::string>();
      for (const Json& dimension : item[1]) {
        std::optional<Expression> size;
        if (!parse(dimension, size)) return false;
        pattern.shape.push_back(std::move(*size));
      }
      if (!expression(options, "if", pattern.condition)) return false;
      pattern.persistent = options.value("stored", true);
      const std::string dtype = options.value("dtype", "");
      DType type = DType::float32;
      if (!dtype.empty() && !parse_dtype(dtype, type)) return problem_.fail("the size template names dtype " + dtype);
      if (!dtype.empty()) pattern.dtype = type;
      result.push_back(std::move(pattern));
    }
    return true;
  }

  const kb::Release& release_;
  Problem& problem_;
};

}  // namespace whyfail::fixer
