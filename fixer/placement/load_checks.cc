// The order of the checks is the libraries': file and map, weights one by one, duplicates, dispatch.
#include "fixer/placement/load_checks.h"

#include <algorithm>

#include "fixer/placement/hook_chain.h"
#include "fixer/placement/key_cover.h"
#include "fixer/placement/key_lookup.h"
#include "fixer/placement/load_transients.h"
#include "fixer/placement/torch_device.h"

namespace whyfail::fixer {

namespace {

struct Weight {
  NodeIndex node;
  bool in_file = true;  // the duplicates of a tie are left out of safetensors files
  bool on_disk = false;
  bool meta = false;
};

class Loading {
 public:
  Loading(const LoadRequest& request, const Rules& rules)
      : request_(request),
        rules_(rules),
        settings_(request.settings),
        tree_(request.tree),
        cover_(key_cover(request.tree, request.map)) {
    for (const auto& [key, value] : request.map) {
      const bool disk = (value.kind == Kind::text || value.kind == Kind::torch_device) && value.text == "disk";
      on_disk_.push_back(disk);
      disk_in_map_ = disk_in_map_ || disk;
    }
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
      if (request_.weights_readable && weight.meta) names.push_back(tree_.full_name(weight.node));
    }
    return names;
  }

 private:
  using Kind = DeviceValue::Kind;

  void list_weights();
  std::optional<LibraryError> read_weights();
  std::optional<LibraryError> read_by_prefix();
  std::optional<LibraryError> read_by_pattern();
  std::optional<LibraryError> absent_device() const;
  std::optional<LibraryError> missing_bias() const;
  bool is_merged(NodeIndex weight) const;
  void spread_over_ties();
  // transformers 5, until it compares them: the names of a tie that a file holds each are left as tensors of their own.
  bool names_stay_apart() const {
    return rules_.own_allocator && !rules_.compares_duplicates && !settings_.safetensors;
  }
  std::optional<LibraryError> compare_duplicates();
  std::optional<LibraryError> dispatch();
  std::optional<LibraryError> parameters_without_device() const;
  std::optional<LibraryError> attach(NodeIndex module, bool to_disk);
  void settle_ties();
  std::optional<std::string> first_stored_without(const std::vector<EntryIndex>& entries) const;
  bool on_disk(EntryIndex entry) const { return entry != kNoEntry && on_disk_[static_cast<std::size_t>(entry)]; }
  EntryIndex by_prefix(NodeIndex node) const { return cover_.by_prefix[static_cast<std::size_t>(node)]; }
  EntryIndex exactly(NodeIndex node) const { return cover_.exactly[static_cast<std::size_t>(node)]; }
  Weight* find_weight(const std::string& name);
  // T5's encoder and decoder use one embedding module in 4.x: what happens to one name happens to all.
  bool shares_module(const std::string& name) const;
  void list_shared();
  std::optional<LibraryError> attach_shared(const Weight& weight, NodeIndex module, bool to_disk);

  const LoadRequest& request_;
  const Rules& rules_;
  const LoadSettings& settings_;
  const FlatTree& tree_;
  KeyCover cover_;
  std::vector<EntryIndex> by_pattern_;  // by node; where the release looks keys up so
  std::vector<bool> on_disk_;           // by entry of the map
  bool disk_in_map_ = false;
  std::vector<Weight> weights_;  // in the tree's order
  std::vector<Weight*> shared_;  // the names of T5's embedding
  HookChain shared_hooks_{false, false};
};

void Loading::list_weights() {
  for (NodeIndex index = 0; index < tree_.size(); ++index) {
    if (tree_[index].kind == NodeKind::parameter) weights_.push_back({index});
  }
  if (!settings_.safetensors) return;
  for (const std::vector<std::string>& group : request_.ties) {
    for (std::size_t i = 1; i < group.size(); ++i) {
      if (Weight* duplicate = find_weight(group[i])) duplicate->in_file = false;
    }
  }
}

Weight* Loading::find_weight(const std::string& name) {
  const NodeIndex node = tree_.node_of(name);
  const auto found = std::lower_bound(weights_.begin(), weights_.end(), node,
                                      [](const Weight& weight, NodeIndex index) { return weight.node < index; });
  return found == weights_.end() || found->node != node ? nullptr : &*found;
}

bool Loading::shares_module(const std::string& name) const {
  const std::string& type = request_.facts.class_name;
  const bool shared = type.find("T5") != std::string::npos || type.starts_with("SwitchTransformers");
  return shared && !rules_.own_allocator && !name.starts_with("lm_head.");
}

void Loading::list_shared() {
  for (const std::vector<std::string>& group : request_.ties) {
    std::vector<Weight*> names;
    for (const std::string& name : group) {
      Weight* weight = shares_module(name) ? find_weight(name) : nullptr;
      if (weight != nullptr) names.push_back(weight);
    }
    if (names.size() > 1) shared_ = std::move(names);
  }
}

// The first name of the checkpoint file that falls under no entry. safetensors sorts by width, then by name; pickles
// keep the model's order.
std::optional<std::string> Loading::first_stored_without(const std::vector<EntryIndex>& entries) const {
  std::vector<std::pair<double, std::string>> rows;
  auto weight = weights_.begin();
  for (NodeIndex index = 0; index < tree_.size(); ++index) {
    const Node& node = tree_[index];
    bool stored = node.kind == NodeKind::buffer && node.persistent;
    if (node.kind == NodeKind::parameter) stored = (weight++)->in_file;
    if (!stored || entries[static_cast<std::size_t>(index)] != kNoEntry) continue;
    rows.emplace_back(-accelerate_width(node.dtype), tree_.full_name(index));
    if (!settings_.safetensors) break;
  }
  if (rows.empty()) return std::nullopt;
  return std::move(std::min_element(rows.begin(), rows.end())->second);
}

// `entries` less those that fall under the key "" alone.
std::vector<EntryIndex> without_root(std::vector<EntryIndex> entries, EntryIndex root) {
  if (root != kNoEntry) std::replace(entries.begin(), entries.end(), root, kNoEntry);
  return entries;
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
  const std::optional<std::string> missed = first_stored_without(cover_.by_prefix);
  if (disk_in_map_ && settings_.safetensors) {
    const std::optional<std::string> not_in_index =
        rules_.root_key_misses_disk_index ? first_stored_without(without_root(cover_.by_prefix, exactly(0))) : missed;
    if (not_in_index) return library_error("KeyError", "'" + *not_in_index + "'");
  }
  if (rules_.root_on_disk_unreadable && on_disk(exactly(0))) {
    if (settings_.safetensors) return library_error("SafetensorError", "device disk is invalid");
    return std::get<LibraryError>(torch_device_type(Device("disk")));
  }
  if (rules_.empty_map_is_key_error && request_.map.empty()) return library_error("KeyError", "''");
  if (missed) return library_error("ValueError", *missed + " doesn't have any device set.");
  for (Weight& weight : weights_) weight.on_disk = on_disk(by_prefix(weight.node));
  return std::nullopt;
}

std::optional<LibraryError> Loading::read_by_pattern() {
  if (request_.map.empty()) return library_error("KeyError", "''");
  PatternCover cover = pattern_cover(tree_, request_.map);
  if (cover.matched_no_key) return library_error("KeyError", "'" + *cover.matched_no_key + "'");
  by_pattern_ = std::move(cover.entries);
  for (Weight& weight : weights_) weight.on_disk = on_disk(by_pattern_[static_cast<std::size_t>(weight.node)]);
  const auto resaved_to_disk = [this](const Weight& weight) {
    return weight.on_disk && weight.in_file && (!settings_.safetensors || is_merged(weight.node));
  };
  if (!settings_.offload_folder && std::any_of(weights_.begin(), weights_.end(), resaved_to_disk)) {
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
  const std::vector<EntryIndex>& entries = rules_.covers_by_pattern ? by_pattern_ : cover_.by_prefix;
  std::vector<bool> usable(request_.map.size());
  for (const Weight& weight : weights_) {
    const EntryIndex entry = entries[static_cast<std::size_t>(weight.node)];
    if (entry == kNoEntry || usable[static_cast<std::size_t>(entry)]) continue;
    const DeviceValue& device = request_.map[static_cast<std::size_t>(entry)].second;
    if (std::optional<LibraryError> error = unusable_device(device, request_.machine)) return error;
    usable[static_cast<std::size_t>(entry)] = true;
  }
  return std::nullopt;
}

// Weights that are put together while loading can't stay in the checkpoint's own file.
bool Loading::is_merged(NodeIndex weight) const { return is_joined(tree_.full_name(weight), request_.facts); }

// Heads with a bias of their own that is tied (BERT's): safetensors files hold it once, and it is not tied again.
std::optional<LibraryError> Loading::missing_bias() const {
  if (!rules_.bias_tied_late || !settings_.safetensors) return std::nullopt;
  const bool all_on_disk =
      !request_.map.empty() && std::all_of(on_disk_.begin(), on_disk_.end(), [](bool disk) { return disk; });
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
  if (names_stay_apart()) return;
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

std::optional<LibraryError> Loading::compare_duplicates() {
  if (!rules_.compares_duplicates || settings_.safetensors) return std::nullopt;
  for (const std::vector<std::string>& group : request_.ties) {
    std::size_t offloaded = 0;
    for (const std::string& name : group) {
      const Weight* weight = find_weight(name);
      if (weight != nullptr && weight->on_disk) ++offloaded;
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
  if (exactly(0) != kNoEntry) return std::nullopt;
  std::string names;
  for (NodeIndex index = 0; index < tree_.size(); ++index) {
    if (tree_.is_module(index)) continue;
    if (tree_[index].kind == NodeKind::buffer && !tree_[index].persistent) continue;
    if (by_prefix(index) == kNoEntry) names += (names.empty() ? "" : ", ") + tree_.full_name(index);
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
  // Beside any other value, even torch.device("cpu"), which is not equal to "cpu", modules on "cpu" are offloaded.
  const bool main_elsewhere = std::any_of(request_.map.begin(), request_.map.end(), [](const auto& entry) {
    return !entry.second.is_text("cpu") && !entry.second.is_text("disk");
  });
  list_shared();
  if (!shared_.empty()) shared_hooks_ = HookChain(shared_.front()->meta, rules_.detach_loses_module);
  for (NodeIndex module = 0; module < tree_.size(); ++module) {
    if (!tree_.is_module(module)) continue;
    if (exactly(module) == kNoEntry) continue;
    const DeviceValue& value = request_.map[static_cast<std::size_t>(exactly(module))].second;
    const bool offloaded = on_disk(exactly(module)) || (main_elsewhere && value.is_text("cpu"));
    if (std::optional<LibraryError> error = attach(module, offloaded)) return error;
  }
  settle_ties();
  return std::nullopt;
}

// Hooks of one module: disk takes everything below it, cpu moves everything there and needs its data.
std::optional<LibraryError> Loading::attach(NodeIndex module, bool to_disk) {
  const auto first = std::lower_bound(weights_.begin(), weights_.end(), module,
                                      [](const Weight& weight, NodeIndex index) { return weight.node < index; });
  for (auto weight = first; weight != weights_.end() && weight->node < tree_[module].end; ++weight) {
    if (std::find(shared_.begin(), shared_.end(), &*weight) != shared_.end()) {
      if (std::optional<LibraryError> error = attach_shared(*weight, module, to_disk)) return error;
    } else if (to_disk) {
      weight->meta = true;
    } else if (weight->meta) {
      return no_value(tree_[weight->node].name);
    }
  }
  return std::nullopt;
}

std::optional<LibraryError> Loading::attach_shared(const Weight& weight, NodeIndex module, bool to_disk) {
  std::optional<LibraryError> error = to_disk ? shared_hooks_.to_disk(weight.in_file && weight.on_disk)
                                              : shared_hooks_.to_cpu(tree_[weight.node].parent == module);
  for (Weight* name : shared_) name->meta = shared_hooks_.meta();
  return error;
}

void Loading::settle_ties() {
  if (names_stay_apart()) return;
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
