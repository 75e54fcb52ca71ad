// The order of the checks is the libraries': file and map, weights one by one, duplicates, dispatch.
#include "fixer/placement/load_checks.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "fixer/placement/key_lookup.h"
#include "fixer/placement/torch_device.h"

namespace whyfail::fixer {

namespace {

struct Weight {
  std::string name;
  NodeIndex node;
  bool in_file = true;  // the duplicates of a tie are left out of safetensors files
  bool on_disk = false;
  bool meta = false;
};

bool on_disk(const DeviceValue* value) { return value != nullptr && value->name() == "disk"; }

class Loading {
 public:
  Loading(const LoadRequest& request, const Rules& rules)
      : request_(request),
        rules_(rules),
        settings_(request.settings),
        lookup_(request.map),
        tree_(request.tree, {}),
        disk_in_map_(std::any_of(request.map.begin(), request.map.end(),
                                 [](const auto& entry) { return on_disk(&entry.second); })) {
    list_weights();
  }

  OrError<std::vector<std::string>> run() {
    if (std::optional<LibraryError> error = read_weights()) return std::move(*error);
    if (std::optional<LibraryError> error = absent_device()) return std::move(*error);
    if (std::optional<LibraryError> error = missing_bias()) return std::move(*error);
    spread_over_ties();
    if (std::optional<LibraryError> error = compare_duplicates()) return std::move(*error);
    if (std::optional<LibraryError> error = dispatch()) return std::move(*error);
    std::vector<std::string> names;
    for (const Weight& weight : weights_) {
      if (request_.weights_readable && weight.meta) names.push_back(weight.name);
    }
    return names;
  }

 private:
  void list_weights();
  std::optional<LibraryError> read_weights();
  std::optional<LibraryError> read_by_prefix();
  std::optional<LibraryError> read_by_pattern();
  std::optional<LibraryError> absent_device() const;
  std::optional<LibraryError> missing_bias() const;
  bool is_merged(const std::string& name) const;
  void spread_over_ties();
  std::optional<LibraryError> compare_duplicates() const;
  std::optional<LibraryError> dispatch();
  std::optional<LibraryError> parameters_without_device() const;
  std::optional<LibraryError> attach(NodeIndex module, const DeviceValue& device);
  void settle_ties();
  std::vector<std::string> names_as_stored() const;
  Weight* find_weight(const std::string& name);
  // T5's encoder and decoder use one embedding module in 4.x: what happens to one name happens to all.
  bool shares_module(const std::string& name) const;
  void set_meta(Weight& weight, bool meta);

  const LoadRequest& request_;
  const Rules& rules_;
  const LoadSettings& settings_;
  KeyLookup lookup_;
  FlatTree tree_;
  bool disk_in_map_;
  std::vector<Weight> weights_;
  std::unordered_map<std::string, std::size_t> position_;
};

void Loading::list_weights() {
  std::unordered_set<std::string> duplicates;
  for (const std::vector<std::string>& group : request_.ties) {
    for (std::size_t i = 1; i < group.size(); ++i) duplicates.insert(group[i]);
  }
  for (NodeIndex index = 0; index < tree_.size(); ++index) {
    if (tree_[index].kind != NodeKind::parameter) continue;
    Weight weight{tree_.full_name(index), index};
    weight.in_file = !(settings_.safetensors && duplicates.contains(weight.name));
    position_.emplace(weight.name, weights_.size());
    weights_.push_back(std::move(weight));
  }
}

Weight* Loading::find_weight(const std::string& name) {
  const auto found = position_.find(name);
  return found == position_.end() ? nullptr : &weights_[found->second];
}

bool Loading::shares_module(const std::string& name) const {
  const std::string& type = request_.facts.class_name;
  const bool shared = type.find("T5") != std::string::npos || type.starts_with("SwitchTransformers");
  return shared && !rules_.own_allocator && !name.starts_with("lm_head.");
}

void Loading::set_meta(Weight& weight, bool meta) {
  weight.meta = meta;
  if (!shares_module(weight.name)) return;
  for (const std::vector<std::string>& group : request_.ties) {
    if (std::find(group.begin(), group.end(), weight.name) == group.end()) continue;
    for (const std::string& name : group) {
      Weight* other = shares_module(name) ? find_weight(name) : nullptr;
      if (other != nullptr) other->meta = meta;
    }
  }
}

// Names in the order of the checkpoint file: safetensors sorts by width, then by name; pickles keep the model's order.
std::vector<std::string> Loading::names_as_stored() const {
  std::vector<std::pair<double, std::string>> rows;
  std::unordered_set<std::string> left_out;
  for (const Weight& weight : weights_) {
    if (!weight.in_file) left_out.insert(weight.name);
  }
  for (NodeIndex index = 0; index < tree_.size(); ++index) {
    if (tree_.is_module(index)) continue;
    if (tree_[index].kind == NodeKind::buffer && !tree_[index].persistent) continue;
    std::string name = tree_.full_name(index);
    if (!left_out.contains(name)) rows.emplace_back(-accelerate_width(tree_[index].dtype), std::move(name));
  }
  if (settings_.safetensors) std::sort(rows.begin(), rows.end());
  std::vector<std::string> names;
  for (auto& [width, name] : rows) names.push_back(std::move(name));
  return names;
}

std::optional<LibraryError> Loading::read_weights() {
  if (std::optional<LibraryError> error = pickle_refusal(settings_, rules_)) return error;
  return rules_.covers_by_pattern ? read_by_pattern() : read_by_prefix();
}

std::optional<LibraryError> Loading::read_by_prefix() {
  if (disk_in_map_ && !settings_.offload_folder && !settings_.safetensors) {
    return library_error("ValueError",
                         "The current `device_map` had weights offloaded to the disk. Please provide an "
                         "`offload_folder` for them. Alternatively, make sure you have `safetensors` installed if the "
                         "model you are using offers the weights in this format.");
  }
  const std::vector<std::string> stored = names_as_stored();
  if (disk_in_map_ && settings_.safetensors) {
    for (const std::string& name : stored) {
      const bool covered = rules_.root_key_misses_disk_index ? lookup_.by_own_prefix(name) : lookup_.by_prefix(name);
      if (!covered) return library_error("KeyError", "'" + name + "'");
    }
  }
  if (rules_.root_on_disk_unreadable && on_disk(lookup_.exactly(""))) {
    if (settings_.safetensors) return library_error("SafetensorError", "device disk is invalid");
    return std::get<LibraryError>(torch_device_type(Device("disk")));
  }
  if (rules_.empty_map_is_key_error && request_.map.empty()) return library_error("KeyError", "''");
  for (const std::string& name : stored) {
    if (lookup_.by_prefix(name) == nullptr) {
      return library_error("ValueError", name + " doesn't have any device set.");
    }
  }
  for (Weight& weight : weights_) weight.on_disk = on_disk(lookup_.by_prefix(weight.name));
  return std::nullopt;
}

std::optional<LibraryError> Loading::read_by_pattern() {
  if (request_.map.empty()) return library_error("KeyError", "''");
  bool resaved_to_disk = false;
  for (Weight& weight : weights_) {
    weight.on_disk = on_disk(lookup_.by_pattern(weight.name));
    const bool resaved = weight.in_file && (!settings_.safetensors || is_merged(weight.name));
    resaved_to_disk = resaved_to_disk || (weight.on_disk && resaved);
  }
  if (resaved_to_disk && !settings_.offload_folder) {
    return library_error(
        "ValueError",
        "The current `device_map` had weights offloaded to the disk, which needed to be re-saved. This "
        "is either because the weights are not in `safetensors` format, or because the model uses an "
        "internal weight format different than the one saved (i.e. most MoE models). Please provide an "
        "`offload_folder` for them in `from_pretrained`.");
  }
  return std::nullopt;
}

// The first weight that goes to a device which is not there, or that torch can't read the name of.
std::optional<LibraryError> Loading::absent_device() const {
  if (request_.weights_readable) return std::nullopt;
  std::unordered_set<const DeviceValue*> usable;
  for (const Weight& weight : weights_) {
    const DeviceValue* device =
        rules_.covers_by_pattern ? lookup_.by_pattern(weight.name) : lookup_.by_prefix(weight.name);
    if (device == nullptr || !usable.insert(device).second) continue;
    if (std::optional<LibraryError> error = unusable_device(*device, request_.machine)) return error;
  }
  return std::nullopt;
}

// Weights that are put together while loading can't stay in the checkpoint's own file.
// transformers/conversion_mapping.py; gpt-oss and llama4 keep their experts as the checkpoint has them.
bool Loading::is_merged(const std::string& name) const {
  const std::vector<std::string>& known = request_.facts.merged_weights;
  const auto ends_like = [&](const std::string& ending) { return name.ends_with(ending); };
  if (!known.empty()) return std::any_of(known.begin(), known.end(), ends_like);
  const std::string& type = request_.facts.class_name;
  if (type.starts_with("GptOss") || type.starts_with("Llama4") || type.starts_with("GraniteMoe")) return false;
  return ends_like(".experts.gate_up_proj") || ends_like(".experts.down_proj");
}

// Heads with a bias of their own that is tied (BERT's): safetensors files hold it once, and it is not tied again.
std::optional<LibraryError> Loading::missing_bias() const {
  if (!rules_.bias_tied_late || !settings_.safetensors) return std::nullopt;
  const bool all_on_disk =
      !request_.map.empty() &&
      std::all_of(request_.map.begin(), request_.map.end(), [](const auto& entry) { return on_disk(&entry.second); });
  if (all_on_disk) return std::nullopt;
  for (const std::vector<std::string>& group : request_.ties) {
    if (!group.empty() && group.front().ends_with("bias")) {
      return library_error("ValueError", "bias is on the meta device, we need a `value` to put in on cpu.");
    }
  }
  return std::nullopt;
}

// A group is one tensor and is loaded under its first name.
void Loading::spread_over_ties() {
  for (Weight& weight : weights_) weight.meta = weight.on_disk;
  for (const std::vector<std::string>& group : request_.ties) {
    const Weight* first = group.empty() ? nullptr : find_weight(group.front());
    if (first == nullptr) continue;
    const bool meta = first->on_disk;
    bool shared_real = false;
    for (const std::string& name : group) {
      Weight* weight = find_weight(name);
      if (weight == nullptr) continue;
      weight->meta = meta;
      shared_real = shared_real || (shares_module(name) && !weight->on_disk);
    }
    // every name of a shared module is in a pickle; the one that is real makes the tensor real
    if (settings_.safetensors || !shared_real) continue;
    for (const std::string& name : group) {
      if (Weight* weight = find_weight(name)) weight->meta = false;
    }
  }
}

std::optional<LibraryError> Loading::compare_duplicates() const {
  if (!rules_.compares_duplicates || settings_.safetensors) return std::nullopt;
  for (const std::vector<std::string>& group : request_.ties) {
    std::size_t offloaded = 0;
    for (const std::string& name : group) {
      const auto found = position_.find(name);
      if (found != position_.end() && weights_[found->second].on_disk) ++offloaded;
    }
    if (offloaded == 0 || (offloaded == group.size() && !rules_.compares_duplicates_on_disk)) continue;
    return library_error("NotImplementedError",
                         "aten::equal: attempted to run this operator with Meta tensors, but there was no fake impl or "
                         "Meta kernel registered. You may have run into this message while using an operator with PT2 "
                         "compilation APIs (torch.compile/torch.export); in order to use this operator with those APIs "
                         "you'll need to add a fake impl. Please see the following for next steps:  "
                         "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html");
  }
  return std::nullopt;
}

std::optional<LibraryError> Loading::parameters_without_device() const {
  if (lookup_.exactly("") != nullptr) return std::nullopt;
  std::string names;
  for (NodeIndex index = 0; index < tree_.size(); ++index) {
    if (tree_.is_module(index)) continue;
    if (tree_[index].kind == NodeKind::buffer && !tree_[index].persistent) continue;
    const std::string name = tree_.full_name(index);
    if (lookup_.by_prefix(name) == nullptr) names += (names.empty() ? "" : ", ") + name;
  }
  if (names.empty()) return std::nullopt;
  return library_error("ValueError",
                       "The device_map provided does not give any device for the following parameters: " + names);
}

// accelerate/big_modeling.py dispatch_model
std::optional<LibraryError> Loading::dispatch() {
  std::vector<DeviceValue> distinct;
  for (const auto& [key, value] : request_.map) {
    if (distinct.size() > 1) break;
    if (std::find(distinct.begin(), distinct.end(), value) == distinct.end()) distinct.push_back(value);
  }
  const bool several = distinct.size() > 1;
  const bool dispatched =
      !rules_.skips_dispatch_of_single_value || several || (rules_.dispatches_disk_always && disk_in_map_);
  if (!dispatched) return std::nullopt;
  if (std::optional<LibraryError> error = parameters_without_device()) return error;
  if (!several && disk_in_map_) {
    if (rules_.whole_model_on_disk_is_index_error) return library_error("IndexError", "list index out of range");
    if (rules_.whole_model_on_disk_refused) {
      return library_error("ValueError",
                           "You are trying to offload the whole model to the disk. Please use the `disk_offload` "
                           "function instead.");
    }
  }
  if (!several && !disk_in_map_) return std::nullopt;
  if (rules_.dispatch_needs_offload_folder && disk_in_map_ && settings_.safetensors && !settings_.offload_folder) {
    return library_error("ValueError", "Need either a `state_dict` or a `save_folder` containing offloaded weights.");
  }
  if (!request_.weights_readable) return std::nullopt;
  for (NodeIndex module = 0; module < tree_.size(); ++module) {
    if (!tree_.is_module(module)) continue;
    const DeviceValue* device = lookup_.exactly(tree_.full_name(module));
    if (device == nullptr) continue;
    if (std::optional<LibraryError> error = attach(module, *device)) return error;
  }
  settle_ties();
  return std::nullopt;
}

// Hooks of one module: disk takes everything below it, cpu moves everything there and needs its data.
std::optional<LibraryError> Loading::attach(NodeIndex module, const DeviceValue& device) {
  const auto first = std::lower_bound(weights_.begin(), weights_.end(), module,
                                      [](const Weight& weight, NodeIndex index) { return weight.node < index; });
  for (auto weight = first; weight != weights_.end() && weight->node < tree_[module].end; ++weight) {
    if (on_disk(&device)) {
      set_meta(*weight, true);
    } else if (weight->meta) {
      return library_error("ValueError", std::string(tree_[weight->node].name) +
                                             " is on the meta device, we need a `value` to put in on cpu.");
    }
  }
  return std::nullopt;
}

void Loading::settle_ties() {
  for (const std::vector<std::string>& group : request_.ties) {
    std::vector<Weight*> members;
    for (const std::string& name : group) {
      if (Weight* weight = find_weight(name)) members.push_back(weight);
    }
    const auto is_meta = [](const Weight* weight) { return weight->meta; };
    const bool any = std::any_of(members.begin(), members.end(), is_meta);
    const bool all = std::all_of(members.begin(), members.end(), is_meta);
    if (rules_.one_meta_makes_ties_meta && any) {
      for (Weight* weight : members) weight->meta = true;
    } else if (!all) {
      for (Weight* weight : members) weight->meta = false;
    }
  }
}

}  // namespace

std::optional<LibraryError> pickle_refusal(const LoadSettings& settings, const Rules& rules) {
  const bool old_torch = settings.torch && rules.pickle_needs_torch && *settings.torch < *rules.pickle_needs_torch;
  if (!settings.safetensors && old_torch) {
    return library_error(
        "ValueError",
        "Due to a serious vulnerability issue in `torch.load`, even with `weights_only=True`, we now "
        "require users to upgrade torch to at least v2.6 in order to use the function. This version "
        "restriction does not apply when loading files with safetensors.\nSee the vulnerability report "
        "here https://nvd.nist.gov/vuln/detail/CVE-2025-32434");
  }
  return std::nullopt;
}

std::optional<LibraryError> uncovered_tie(const TieNames& ties, const ValueMap& map, const Rules& rules) {
  if (!rules.tied_names_must_be_covered) return std::nullopt;
  const KeyLookup lookup(map);
  for (const std::vector<std::string>& group : ties) {
    for (const std::string& name : group) {
      // the name has been cut down to nothing by the time the text is made
      if (lookup.by_prefix(name) == nullptr) {
        return library_error("ValueError", "The `device_map` does not contain the module .");
      }
    }
  }
  return std::nullopt;
}

OrError<std::vector<std::string>> loaded_under(const LoadRequest& request, const Rules& rules) {
  return Loading(request, rules).run();
}

}  // namespace whyfail::fixer
