// Other classes of a model type than the one its size template is of ("BertModel", "BertForNextSentencePrediction"),
// made out of the main class's tree. For the file that reads size templates.
#pragma once

#include <string>
#include <utility>

#include "fixer/model/template_patterns.h"

namespace whyfail::fixer {

inline const Json* child_named(const Json& module, const std::string& name) {
  const auto children = module.find("modules");
  if (children == module.end()) return nullptr;
  for (const Json& child : *children) {
    if (child.value("name", "") == name) return &child;
  }
  return nullptr;
}

inline const Json* model_of(const std::string& like, const Json& base) {
  return like.empty() ? &base : child_named(base, like);
}

// The parts of another class: names stand for children of `base`, objects for parts of its own; an object with "like"
// is a child of `base` (named "": `base` itself) with other parts, or with another name.
inline Json parts_of(const Json& parts, const Json& base, int depth) {
  Json result = Json::array();
  if (depth > deepest_template) return result;
  for (const Json& part : parts) {
    if (part.is_string()) {
      if (const Json* child = child_named(base, part.get<std::string>())) result.push_back(*child);
    } else if (const Json* model = part.contains("like") ? model_of(part["like"].get<std::string>(), base) : nullptr) {
      Json changed = part.contains("modules") ? part : *model;
      if (part.contains("modules")) {
        changed["modules"] = parts_of(part["modules"], *model, depth + 1);
      } else {
        for (const char* const key : {"name", "class", "from", "before"}) {
          if (part.contains(key)) changed[key] = part[key];
        }
      }
      result.push_back(std::move(changed));
    } else {
      result.push_back(part);
    }
  }
  return result;
}

// Turns the main class's tree into that of `class_name`, as the template's "heads" say: "root" names the child of the
// main class's tree that it is or is made of, "modules" lists its parts. False: the template does not know the class.
inline bool change_class(const Json& facts, const std::string& class_name, Json& tree) {
  const auto heads = facts.find("heads");
  if (heads == facts.end() || !heads->contains(class_name)) return false;
  const Json& head = (*heads)[class_name];
  const Json* base = &tree;
  if (head.contains("root")) base = child_named(tree, head["root"].get<std::string>());
  if (!base) return false;
  Json changed = head.contains("modules") ? head : *base;
  if (head.contains("modules")) changed["modules"] = parts_of(head["modules"], *base, 0);
  changed["class"] = class_name;
  changed["name"] = "";
  changed.erase("beside");
  changed.erase("if");
  tree = std::move(changed);
  return true;
}

}  // namespace whyfail::fixer
