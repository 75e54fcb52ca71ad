// Expands ** dicts and names positional arguments.
#include "fixer/call/arguments.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fixer/call/entries.h"
#include "fixer/call/values.h"

namespace whyfail::fixer {
namespace {

using Parts = Script::Parts;
using Place = WrittenArgument::Place;

struct Signature {
  std::string_view method;
  std::array<std::string_view, 8> names;
};

constexpr std::array<Signature, 9> signatures = {{
    {"from_pretrained", {"pretrained_model_name_or_path"}},
    {"from_config", {"config"}},
    {"pipeline", {"task", "model", "config", "tokenizer", "feature_extractor"}},
    {"dispatch_model",
     {"model", "device_map", "main_device", "state_dict", "offload_dir", "offload_index", "offload_buffers"}},
    {"infer_auto_device_map", {"model", "max_memory", "no_split_module_classes", "dtype", "special_dtypes", "verbose"}},
    {"load_checkpoint_and_dispatch",
     {"model", "checkpoint", "device_map", "max_memory", "no_split_module_classes", "offload_folder", "offload_buffers",
      "dtype"}},
    {"load_checkpoint_in_model", {"model", "checkpoint", "device_map", "offload_folder", "dtype"}},
    {"cpu_offload", {"model", "execution_device"}},
    {"disk_offload", {"model", "offload_dir", "execution_device"}},
}};

void add_dict(const Parts& parts, TokenRange expression, int depth, WrittenArguments& to) {
  const auto dict = depth < 4 ? dict_behind(parts, expression) : std::nullopt;
  if (!dict) {
    to.open = true;
    return;
  }
  const bool shared = other_uses(parts, *dict) > 0;
  for (const TokenRange& merged : dict->merged) add_dict(parts, merged, depth + 1, to);
  for (const WrittenEntry& entry : dict->entries) {
    if (entry.key_value.kind != Value::Kind::text) {
      to.open = true;
      continue;
    }
    to.all.push_back({dict->display ? Place::dict_entry : Place::dict_keyword, entry.key_value.text, 0,
                      parts.bytes(entry.value), shared});
  }
  const DictChanges changes = changes_of(parts, *dict);
  to.open = to.open || changes.open;
  for (const ItemAssignment& change : changes.assignments) {
    const Value key = evaluate(parts, change.key);
    if (key.kind == Value::Kind::text && change.certain) {
      to.all.push_back({Place::item_assignment, key.text, 0, parts.bytes(change.value), shared});
    } else {
      to.open = true;
    }
  }
}

}  // namespace

const WrittenArgument* WrittenArguments::find(std::string_view name) const {
  const auto found =
      std::find_if(all.rbegin(), all.rend(), [&](const WrittenArgument& one) { return one.name == name; });
  return found == all.rend() ? nullptr : &*found;
}

std::vector<std::string_view> positional_parameters(std::string_view callee) {
  std::vector<std::string_view> names;
  const std::size_t dot = callee.rfind('.');
  const std::string_view method = dot == std::string_view::npos ? callee : callee.substr(dot + 1);
  if (callee.find("PeftModel") == 0 && method == "from_pretrained") return {"model", "model_id", "adapter_name"};
  for (const Signature& one : signatures) {
    if (one.method != method) continue;
    std::copy_if(one.names.begin(), one.names.end(), std::back_inserter(names),
                 [](std::string_view name) { return !name.empty(); });
  }
  return names;
}

WrittenArguments written_arguments(const Script& script, const Call& call) {
  const Parts& parts = script.parts();
  const auto names = positional_parameters(call.callee.empty() ? call.method : call.callee);
  WrittenArguments written;
  std::size_t position = 0;
  for (const Argument& argument : call.arguments) {
    switch (argument.kind) {
      case Argument::Kind::keyword:
        written.all.push_back({Place::keyword, argument.name, 0, argument.value, false});
        break;
      case Argument::Kind::positional:
        written.all.push_back({Place::positional, position < names.size() ? std::string(names[position]) : "", position,
                               argument.value, false});
        ++position;
        break;
      case Argument::Kind::star:
        written.open = true;
        break;
      case Argument::Kind::double_star:
        add_dict(parts, parts.token_range(argument.value), 0, written);
        break;
    }
  }
  return written;
}

}  // namespace whyfail::fixer
