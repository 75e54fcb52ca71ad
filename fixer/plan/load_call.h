// What a loading call asks for: each parameter with the place where its value is written, and the values that placement
// needs in its own terms. Parameters may stand in the call, in a dict that is spread into it (**load_args), or in
// pipeline()'s model_kwargs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fixer/call/python.h"
#include "fixer/placement/place.h"

namespace whyfail::fixer {

struct Parameter {
  enum class Place { argument, positional, spread, model_kwargs };
  std::string name;
  Place place = Place::argument;
  Value value;
  TextRange expression;  // the value as written where the parameter is given
  TextRange whole;       // the entry: "name=value", or "key: value" of a dict
};

// Which function is called. from_pretrained also stands for the classes of diffusers and peft.
enum class Loader { from_pretrained, from_config, pipeline, checkpoint, dispatch, infer, other };

struct LoadCall {
  Loader loader = Loader::other;
  std::string class_name;  // "AutoModelForCausalLM"; empty for functions
  std::vector<Parameter> parameters;
  bool opaque = false;  // holds *x or **x that the text does not tell

  std::optional<std::string> model;  // id or folder, if the text tells it
  DeviceMapArgument device_map;
  bool device_map_unreadable = false;
  std::optional<Budgets> max_memory;
  bool max_memory_unreadable = false;
  std::optional<DType> dtype;
  bool dtype_auto = false;
  bool dtype_unreadable = false;
  LoadSettings settings;
  bool quantization_unreadable = false;

  const Parameter* find(std::string_view name) const;
};

// A device as an integer, a name or torch.device(…) gives it; nullopt: the value is none of these.
std::optional<Device> device_of(const Value& value);

LoadCall read_load(const Script& script, const Call& call);

// The class in front of ".from_pretrained", without its module path.
std::string class_of(std::string_view callee);

}  // namespace whyfail::fixer
