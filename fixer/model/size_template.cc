// Reads a size template into patterns of the release at hand, then instantiates them for a config.
#include "fixer/model/size_template.h"

#include <unordered_set>
#include <utility>
#include <vector>

#include "fixer/model/activations.h"
#include "fixer/model/other_classes.h"
#include "fixer/model/size_template_content.h"
#include "fixer/model/template_patterns.h"

namespace whyfail::fixer {

namespace {

constexpr std::int64_t most_parts = 600000;         // modules and tensors of one tree
constexpr std::int64_t largest_tensor = 1LL << 40;  // elements
constexpr std::int64_t most_repetitions = 100000;

class Instantiation {
 public:
  Instantiation(const Fields& fields, const SizeTemplate::Request& request, Problem& problem)
      : fields_(fields), dtype_(request.dtype), release_(request.transformers), problem_(problem) {}

  // False: not there, or an error (problem_). The name is left to the caller.
  bool module(const ModulePattern& pattern, const Counters& counters, int loops, Module& result) {
    result.name = pattern.name;
    if (!count_part()) return false;
    if (!tensors(pattern.parameters, counters, result.parameters)) return false;
    if (!tensors(pattern.buffers, counters, result.buffers)) return false;
    result.children.reserve(pattern.children.size());
    for (const ModulePattern& child : pattern.children) {
      if (!add_child(child, counters, loops, result)) return false;
    }
    drop_lonely(pattern, result);
    return name_class(pattern, counters, result);
  }

 private:
  bool count_part(std::int64_t count = 1) {
    if (count > most_parts - parts_) return problem_.fail("config.json asks for more parts than any model has");
    parts_ += count;
    return true;
  }

  bool name_class(const ModulePattern& pattern, const Counters& counters, Module& result) {
    if (!pattern.activation.empty()) {
      const auto value = fields_.field(pattern.activation);
      const auto* text = value ? std::get_if<std::string>(&value->is) : nullptr;
      const auto made = text ? activation_class(*text, release_) : std::nullopt;
      if (made) {
        result.class_name = *made;
        return true;
      }
    }
    for (const ClassChoice& choice : pattern.classes) {
      if (!choice.part.empty() && !has_part(result, choice.part)) continue;
      if (choice.condition) {
        const auto holds = evaluate(*choice.condition, counters);
        if (!holds) return false;
        if (!holds->truthy()) continue;
      }
      result.class_name = choice.name;
      break;
    }
    return true;
  }

  std::optional<ConfigValue> evaluate(const Expression& expression, const Counters& counters) {
    auto value = expression.evaluate(fields_, counters);
    if (auto* error = std::get_if<ExpressionError>(&value)) {
      problem_.fail("config.json: " + error->why);
      return std::nullopt;
    }
    return std::get<ConfigValue>(std::move(value));
  }

  std::optional<std::int64_t> size(const Expression& expression, const Counters& counters, std::int64_t most) {
    const auto value = evaluate(expression, counters);
    if (!value) return std::nullopt;
    const auto number = whole_number(*value);
    if (!number) {
      problem_.fail("config.json: " + expression.text() + " is no whole number");
    } else if (*number < 0 || *number > most) {
      problem_.fail("config.json: " + expression.text() + " is " + std::to_string(*number) + ", which no model has");
    } else {
      return number;
    }
    return std::nullopt;
  }

  bool tensors(const std::vector<TensorPattern>& patterns, const Counters& counters, std::vector<Tensor>& result) {
    result.reserve(patterns.size());
    for (const TensorPattern& pattern : patterns) {
      if (pattern.condition) {
        const auto holds = evaluate(*pattern.condition, counters);
        if (!holds) return false;
        if (!holds->truthy()) continue;
      }
      std::int64_t elements = 1;
      std::int64_t rows = 1;  // a tensor without dimensions is one row
      for (const Expression& dimension : pattern.shape) {
        const auto length = size(dimension, counters, largest_tensor);
        if (!length) return false;
        if (&dimension == &pattern.shape.front()) rows = *length;
        if (__builtin_mul_overflow(elements, *length, &elements) || elements > largest_tensor) {
          return problem_.fail("config.json: " + pattern.name + " would be larger than any tensor is");
        }
      }
      if (!count_part()) return false;
      result.push_back({pattern.name, static_cast<std::uint64_t>(elements), pattern.dtype.value_or(dtype_),
                        pattern.persistent, static_cast<std::uint64_t>(rows)});
    }
    return true;
  }

  bool add_child(const ModulePattern& child, const Counters& counters, int loops, Module& result) {
    if (child.condition && !child.repeat) {
      const auto holds = evaluate(*child.condition, counters);
      if (!holds) return false;
      if (!holds->truthy()) return true;
    }
    if (!child.repeat) return append(child, counters, loops, child.name, result);
    const auto count = size(*child.repeat, counters, most_repetitions);
    if (!count) return false;
    return repeated(child, *count, counters, loops, result);
  }

  // Adds the child unless nothing of it is there.
  bool append(const ModulePattern& pattern, const Counters& counters, int loops, const std::string& name,
              Module& result) {
    Module child;
    if (!module(pattern, counters, loops, child)) return false;
    child.name = name;
    if (!is_absent(pattern, child)) result.children.push_back(std::move(child));
    return true;
  }

  bool repeated(const ModulePattern& child, std::int64_t count, const Counters& outer, int loops, Module& result) {
    Counters counters = outer;
    std::int64_t& counter = loops == 0 ? counters.i : counters.j;
    const bool same = !mentions(child, loops == 0 ? "i" : "j");
    const std::int64_t before = parts_;
    for (std::int64_t index = 0; index < count; ++index) {
      counter = index;
      if (child.condition) {
        const auto holds = evaluate(*child.condition, counters);
        if (!holds) return false;
        if (!holds->truthy()) continue;
      }
      if (!append(child, counters, loops + 1, numbered(child.name, index), result)) return false;
      if (!same || result.children.empty()) continue;
      const std::int64_t rest = count - index - 1;
      if (rest > 0 && parts_ - before > most_parts / rest) return count_part(most_parts);
      if (!count_part(rest * (parts_ - before))) return false;
      result.children.reserve(result.children.size() + static_cast<std::size_t>(rest));
      for (std::int64_t next = index + 1; next < count; ++next) {
        result.children.push_back(result.children.back());
        result.children.back().name = numbered(child.name, next);
      }
      return true;
    }
    return true;
  }

  // Children of a list are named by their number alone; others by "expert_{}" and the like.
  static std::string numbered(const std::string& name, std::int64_t index) {
    const std::size_t mark = name.find("{}");
    if (mark == std::string::npos) return std::to_string(index);
    return name.substr(0, mark) + std::to_string(index) + name.substr(mark + 2);
  }

  static bool mentions(const ModulePattern& pattern, std::string_view counter) {
    const auto in = [&](const std::optional<Expression>& expression) {
      return expression && expression->mentions(counter);
    };
    if (in(pattern.condition)) return true;
    for (const ClassChoice& choice : pattern.classes) {
      if (in(choice.condition)) return true;
    }
    for (const auto* tensors : {&pattern.parameters, &pattern.buffers}) {
      for (const TensorPattern& tensor : *tensors) {
        if (in(tensor.condition)) return true;
        for (const Expression& dimension : tensor.shape) {
          if (dimension.mentions(counter)) return true;
        }
      }
    }
    for (const ModulePattern& child : pattern.children) {
      if (in(child.repeat) || mentions(child, counter)) return true;
    }
    return false;
  }

  static bool has_tensor_patterns(const ModulePattern& pattern) {
    if (!pattern.parameters.empty() || !pattern.buffers.empty()) return true;
    for (const ModulePattern& child : pattern.children) {
      if (has_tensor_patterns(child)) return true;
    }
    return false;
  }

  static bool is_absent(const ModulePattern& pattern, const Module& module) {
    if (pattern.may_be_empty || !has_tensor_patterns(pattern)) return false;
    if (!module.parameters.empty() || !module.buffers.empty()) return false;
    for (std::size_t i = 0; i < module.children.size(); ++i) {
      if (holds_tensors(module.children[i])) return false;
    }
    return true;
  }
  static bool holds_tensors(const Module& module) {
    if (!module.parameters.empty() || !module.buffers.empty()) return true;
    for (const Module& child : module.children) {
      if (holds_tensors(child)) return true;
    }
    return false;
  }

  static bool has_part(const Module& module, const std::string& name) {
    for (const Module& child : module.children) {
      if (child.name == name) return true;
    }
    for (const auto* tensors : {&module.parameters, &module.buffers}) {
      for (const Tensor& tensor : *tensors) {
        if (tensor.name == name) return true;
      }
    }
    return false;
  }

  // Modules without tensors (activations, dropouts) go where the part that they serve is not there.
  static void drop_lonely(const ModulePattern& pattern, Module& result) {
    for (const ModulePattern& child : pattern.children) {
      if (child.beside.empty() || has_part(result, child.beside)) continue;
      std::erase_if(result.children, [&](const Module& module) { return module.name == child.name; });
    }
  }

  const Fields& fields_;
  DType dtype_;
  kb::Release release_;
  Problem& problem_;
  std::int64_t parts_ = 0;
};

// Whether a config value is what the template names: null, true, 4, 0.5, "relu" or a list of them.
bool is_value(const ConfigValue& value, const Json& expected) {
  if (expected.is_null()) return value.none();
  if (const auto* flag = std::get_if<bool>(&value.is)) return expected.is_boolean() && expected.get<bool>() == *flag;
  if (const auto* text = std::get_if<std::string>(&value.is)) return expected.is_string() && expected == *text;
  if (const auto* number = std::get_if<double>(&value.is))
    return expected.is_number() && expected.get<double>() == *number;
  if (const auto* list = std::get_if<std::shared_ptr<const ValueList>>(&value.is)) {
    if (!expected.is_array() || expected.size() != (*list)->size()) return false;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!is_value((**list)[i], expected[i])) return false;
    }
    return true;
  }
  const auto whole = whole_number(value);
  return whole && expected.is_number() && expected == *whole;
}

// A part of another model type than the template's: "llava" with the language model of mistral; empty: none.
std::string other_part(const Json& facts, const Fields& fields) {
  const auto parts = facts.find("parts");
  if (parts == facts.end() || !parts->is_object()) return "";
  const auto whole = fields.field("model_type");
  for (const auto& [part, type] : parts->items()) {
    const auto value = fields.field(part + ".model_type");
    const auto* text = value ? std::get_if<std::string>(&value->is) : nullptr;
    if (!text || !type.is_string() || type == *text || (whole && is_value(*whole, *text))) continue;
    return "the sizes were compared with the library only for " + part + " of type " + type.get<std::string>();
  }
  return "";
}

}  // namespace

SizeTemplate::SizeTemplate(std::unique_ptr<Content> content) : content_(std::move(content)) {}
SizeTemplate::SizeTemplate(SizeTemplate&&) noexcept = default;
SizeTemplate& SizeTemplate::operator=(SizeTemplate&&) noexcept = default;
SizeTemplate::~SizeTemplate() = default;

std::optional<SizeTemplate> SizeTemplate::parse(std::string_view json) {
  auto content = std::make_unique<Content>();
  content->facts = Json::parse(json, nullptr, false);
  if (!content->facts.is_object() || !content->facts.contains("tree") || !content->facts["tree"].is_object()) {
    return std::nullopt;
  }
  return SizeTemplate(std::move(content));
}

bool SizeTemplate::exact() const {
  const auto exact = content_->facts.find("exact");
  return exact != content_->facts.end() && exact->is_boolean() && exact->get<bool>();
}

std::string SizeTemplate::not_compared(const Fields& fields, std::string_view class_name) const {
  if (!exact()) return "the sizes of this model type do not follow every config";
  const Json& facts = content_->facts;
  const auto heads = facts.find("heads");
  if (heads != facts.end() && heads->is_object()) {
    const auto head = heads->find(std::string(class_name));
    if (head != heads->end() && head->is_object() && !head->value("exact", true)) {
      return "the sizes of " + std::string(class_name) + " do not follow every config";
    }
  }
  if (std::string why = other_part(facts, fields); !why.empty()) return why;
  const auto compared = facts.find("compared_only");
  if (compared == facts.end() || !compared->is_object()) return "";
  for (const auto& [name, expected] : compared->items()) {
    const auto value = fields.field(name);
    if (value && !is_value(*value, expected)) {
      return "the sizes were compared with the library only for " + name + " = " + expected.dump();
    }
  }
  return "";
}

std::string SizeTemplate::main_class() const {
  const auto name = content_->facts["tree"].find("class");
  return name != content_->facts["tree"].end() && name->is_string() ? name->get<std::string>() : "";
}

bool SizeTemplate::builds(std::string_view class_name) const {
  if (main_class() == class_name) return true;
  const auto heads = content_->facts.find("heads");
  return heads != content_->facts.end() && heads->is_object() && heads->contains(std::string(class_name));
}

bool SizeTemplate::holds_for(const kb::Release& transformers) const {
  const auto from = content_->facts.find("from");
  if (from == content_->facts.end() || !from->is_string()) return true;
  const auto release = kb::Release::parse(from->get<std::string>());
  return !release || transformers >= *release;
}

std::string SizeTemplate::part_type(std::string_view part) const {
  const auto parts = content_->facts.find("parts");
  if (parts == content_->facts.end() || !parts->is_object()) return "";
  const auto type = parts->find(std::string(part));
  return type != parts->end() && type->is_string() ? type->get<std::string>() : "";
}

std::variant<Module, TemplateError> SizeTemplate::instantiate(const Fields& fields, const Request& request) const {
  Problem problem;
  try {
    Json tree = content_->facts["tree"];
    if (!request.class_name.empty() && request.class_name != main_class() &&
        !change_class(content_->facts, request.class_name, tree)) {
      return TemplateError{"the sizes of class " + request.class_name + " are not known"};
    }
    ModulePattern pattern;
    if (!PatternReader(request.transformers, problem).module(tree, pattern, 0)) return TemplateError{problem.why};
    Module root;
    if (!Instantiation(fields, request, problem).module(pattern, {}, 0, root)) return TemplateError{problem.why};
    return root;
  } catch (const Json::exception&) {
    return TemplateError{"the size template is damaged"};
  }
}

}  // namespace whyfail::fixer
