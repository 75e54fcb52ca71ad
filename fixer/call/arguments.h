// The arguments that a call really gets: those written in it, named by position where the function is known, and those
// of the dicts that it takes as **, wherever they were put in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fixer/call/python.h"

namespace whyfail::fixer {

struct WrittenArgument {
  enum class Place {
    keyword,          // name=value in the call
    positional,       // value in the call; the name is the parameter's, if the function is known
    dict_entry,       // "name": value in a dict display given as **
    dict_keyword,     // name=value in a dict(...) given as **
    item_assignment,  // kwargs["name"] = value
  } place = Place::keyword;
  std::string name;          // "" for a positional argument of a function that is not known
  std::size_t position = 0;  // positional: which
  TextRange value;           // the expression as written there
  bool shared = false;       // stands in a dict that other code uses too
};

struct WrittenArguments {
  std::vector<WrittenArgument> all;  // if a name comes twice, the later one counts
  bool open = false;                 // a * or ** (or a change to its dict) that can't be told may hold more
  const WrittenArgument* find(std::string_view name) const;  // the one that counts; nullptr: none
};

WrittenArguments written_arguments(const Script& script, const Call& call);

// Names of the first positional parameters of loading functions, by the callee as written; empty: not known.
// transformers 4.30 to 5.5 (modeling_utils.py, pipelines/__init__.py), accelerate 0.20 to 1.12 (big_modeling.py,
// utils/modeling.py), peft 0.3 to 0.21 (peft_model.py).
std::vector<std::string_view> positional_parameters(std::string_view callee);

}  // namespace whyfail::fixer
