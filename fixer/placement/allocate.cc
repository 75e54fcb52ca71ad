// The walk of infer_auto_device_map in its three forms (rules.h, Engine).
#include "fixer/placement/allocate.h"

#include <algorithm>
#include <limits>
#include <set>

#include "fixer/placement/cleaned_map.h"
#include "fixer/placement/largest_layer.h"
#include "fixer/placement/ties.h"
#include "fixer/placement/work_list.h"

namespace whyfail::fixer {

namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// Modules that come along with one because of tied tensors.
struct Partners {
  std::vector<NodeIndex> modules;
  double bytes_together = 0;  // with the module itself
  bool fractional = false;    // the library holds a float
};

struct DeviceState {
  Device device;
  Amount budget;
  bool limited = true;  // the disk is not
  bool main = false;    // keeps room for the largest layer
  double used = 0;
  double seen = 0;  // what the buffer warning takes as used
  double offloaded_buffers = 0;
};

class Walk {
 public:
  Walk(const AllocationRequest& request, const Rules& rules)
      : request_(request),
        tree_(request.tree),
        sizes_(request.sizes),
        rules_(rules),
        unsplit_(unsplit_nodes(request.tree, request.no_split)),
        layers_(request.tree, request.sizes, unsplit_),
        ties_(request.tree, request.tied_groups, rules),
        work_(request.tree) {
    list_devices();
    work_.insert_parts(0, work_.end());
    for (NodeIndex index = tree_[0].parameters_end; index < tree_[0].tensors_end; ++index) work_.push_back(index);
  }

  OrError<Allocation> run();
  std::vector<std::size_t> deciding_groups() const { return {deciding_groups_.begin(), deciding_groups_.end()}; }

 private:
  void list_devices();
  std::optional<LibraryError> step(NodeIndex node);
  std::optional<LibraryError> step_size_first(NodeIndex node, double limit, double reserve);
  std::optional<LibraryError> step_ties_first(NodeIndex node, double limit, double reserve);
  OrError<Partners> partners_of(NodeIndex node, const std::vector<NodeIndex>& outside) const;
  OrError<NodeIndex> holder(NodeIndex member, const WorkList& list) const;
  OrError<bool> split_partner(NodeIndex node, const Partners& partners, const std::vector<NodeIndex>& outside);
  void note_order(const Partners& partners, const std::vector<NodeIndex>& outside);
  bool escape_left_out(NodeIndex node, double bytes_together);
  OrError<bool> fall_back(NodeIndex node, const Partners& together);
  OrError<NodeIndex> first_that_fits(double limit) const;
  Allocation finished() const;

  bool splittable(NodeIndex node) const {
    return tree_.is_module(node) && tree_.has_children(node) && !unsplit_[static_cast<std::size_t>(node)];
  }
  bool is_fractional(NodeIndex node) const { return sizes_.fractional[static_cast<std::size_t>(node)]; }
  DeviceState& device() { return devices_[current_]; }
  void place(NodeIndex node, double bytes, const std::vector<NodeIndex>& partners);
  void split(NodeIndex node) {
    work_.insert_parts(node, work_.front());
    layers_.look_again();
  }
  void next_device(NodeIndex node, double needs, double limit, double reserve);

  const AllocationRequest& request_;
  const FlatTree& tree_;
  const Sizes& sizes_;
  const Rules& rules_;
  std::vector<bool> unsplit_;
  LargestLayer layers_;
  Ties ties_;
  WorkList work_;
  std::vector<DeviceState> devices_;
  std::size_t gpu_count_ = 0;
  std::size_t current_ = 0;
  std::vector<PlacedNode> placed_;
  std::vector<PassedOver> passed_over_;
  std::set<std::size_t> deciding_groups_;
};

void Walk::list_devices() {
  std::optional<Device> first_gpu;
  bool mps = false;
  for (const auto& [device, budget] : request_.budgets) {
    const bool disk = is_named(device, "disk");
    const bool gpu = !is_named(device, "cpu") && (!disk || rules_.disk_is_main_device);
    DeviceState state;
    state.device = device;
    state.budget = budget;
    state.limited = !disk;
    devices_.push_back(std::move(state));
    if (!gpu) continue;
    ++gpu_count_;
    if (!first_gpu) first_gpu = device;
    mps = mps || is_named(device, "mps");
  }
  if (find(request_.budgets, Device("disk")) == nullptr) {
    DeviceState disk;
    disk.device = "disk";
    disk.limited = false;
    devices_.push_back(std::move(disk));
  }
  for (DeviceState& state : devices_) {
    state.main = mps ? is_named(state.device, "mps")
                     : is_named(state.device, "cpu") || (first_gpu && state.device == *first_gpu);
  }
}

void Walk::next_device(NodeIndex node, double needs, double limit, double reserve) {
  const auto bytes = [](double value) { return static_cast<std::uint64_t>(std::max(value, 0.0)); };
  work_.push_front(node);
  if (current_ + 1 == devices_.size()) return;
  passed_over_.push_back(
      {device().device, tree_.full_name(node), bytes(needs), bytes(limit - device().used), bytes(reserve)});
  ++current_;
}

void Walk::place(NodeIndex node, double bytes, const std::vector<NodeIndex>& partners) {
  device().used += bytes;
  placed_.push_back({node, current_});
  layers_.placed(node);
  for (const NodeIndex partner : partners) {
    if (!work_.holds(partner)) continue;  // named twice
    work_.remove(partner);
    placed_.push_back({partner, current_});
    layers_.placed(partner);
  }
  if (tree_.is_module(node)) device().offloaded_buffers += sizes_.buffers_below(tree_, node);
}

// First module on the list that holds the member.
OrError<NodeIndex> Walk::holder(NodeIndex member, const WorkList& list) const {
  if (!rules_.partner_by_substring) {
    const NodeIndex found = list.holder_of(member);
    if (found != kNoNode) return found;
  } else {
    const std::string& name = ties_.name_of(member);
    for (NodeIndex node = list.front(); node != list.end(); node = list.after(node)) {
      if (name.find(tree_.full_name(node)) != std::string::npos) return node;
    }
  }
  return library_error("IndexError", "list index out of range");
}

OrError<Partners> Walk::partners_of(NodeIndex node, const std::vector<NodeIndex>& outside) const {
  Partners partners{{}, sizes_.of(node), is_fractional(node)};
  for (const NodeIndex member : outside) {
    OrError<NodeIndex> found = holder(member, work_);
    if (LibraryError* error = std::get_if<LibraryError>(&found)) return std::move(*error);
    const NodeIndex module = std::get<NodeIndex>(found);
    partners.fractional = partners.fractional || is_fractional(module) || is_fractional(member);
    if (rules_.engine == Engine::split_always) {
      if (std::find(partners.modules.begin(), partners.modules.end(), module) != partners.modules.end()) continue;
      partners.bytes_together += sizes_.of(module);
    } else {
      partners.bytes_together += sizes_.of(module) - sizes_.of(member);
    }
    partners.modules.push_back(module);
  }
  return partners;
}

// Several groups with several partners that could be the one to take apart: the order of groups decides.
void Walk::note_order(const Partners& partners, const std::vector<NodeIndex>& outside) {
  std::set<NodeIndex> candidates;
  for (const NodeIndex partner : partners.modules) {
    if (!tree_.is_module(partner) || splittable(partner)) candidates.insert(partner);
  }
  if (candidates.size() < 2) return;
  std::set<std::size_t> groups;
  for (const NodeIndex member : outside) groups.insert(ties_.group_of(member));
  if (groups.size() > 1) deciding_groups_.merge(groups);
}

// Takes the first partner apart that can be; `node` goes back to the front.
OrError<bool> Walk::split_partner(NodeIndex node, const Partners& partners, const std::vector<NodeIndex>& outside) {
  note_order(partners, outside);
  for (const NodeIndex partner : partners.modules) {
    if (!tree_.is_module(partner)) {
      const char* type = tree_[partner].kind == NodeKind::parameter ? "Parameter" : "Tensor";
      return library_error("AttributeError", std::string("'") + type + "' object has no attribute 'named_children'");
    }
    if (!splittable(partner)) continue;
    work_.insert_parts(partner, partner);
    work_.remove(partner);
    work_.push_front(node);
    layers_.look_again();
    return true;
  }
  return false;
}

std::optional<LibraryError> Walk::step(NodeIndex node) {
  layers_.take_up(node);
  double limit = kUnlimited;
  if (device().limited) limit = device().budget.bytes;
  double reserve = 0;
  if (device().main) {
    if (!device().limited) {
      return library_error("TypeError", std::string("unsupported operand type(s) for -: 'NoneType' and '") +
                                            (layers_.fractional() ? "float'" : "int'"));
    }
    reserve = layers_.bytes();
    limit -= reserve;
  }
  return rules_.engine == Engine::size_first ? step_size_first(node, limit, reserve)
                                             : step_ties_first(node, limit, reserve);
}

std::optional<LibraryError> Walk::step_size_first(NodeIndex node, double limit, double reserve) {
  DeviceState& here = device();
  if (here.used + sizes_.of(node) > limit) {
    if (tree_[node].kind == NodeKind::buffer && rules_.bare_buffer_must_fit) {
      return library_error("AttributeError", "'Tensor' object has no attribute 'named_children'");
    }
    if (splittable(node)) {
      split(node);
    } else {
      here.seen = here.used + reserve;
      next_device(node, sizes_.of(node), limit, reserve);
    }
    return std::nullopt;
  }
  const std::vector<NodeIndex> outside = ties_.members_outside(node);
  if (outside.empty()) {
    place(node, sizes_.of(node), {});
    here.seen = here.used + reserve;
    return std::nullopt;
  }
  OrError<Partners> partners = partners_of(node, outside);
  if (LibraryError* error = std::get_if<LibraryError>(&partners)) return std::move(*error);
  const Partners& together = std::get<Partners>(partners);
  if (here.used + together.bytes_together <= limit) {
    place(node, together.bytes_together, together.modules);
    return std::nullopt;
  }
  OrError<bool> done = split_partner(node, together, outside);
  if (LibraryError* error = std::get_if<LibraryError>(&done)) return std::move(*error);
  if (!std::get<bool>(done)) {
    here.seen = here.used + reserve;
    next_device(node, together.bytes_together, limit, reserve);
  }
  return std::nullopt;
}

std::optional<LibraryError> Walk::step_ties_first(NodeIndex node, double limit, double reserve) {
  DeviceState& here = device();
  const std::vector<NodeIndex> outside = ties_.members_outside(node);
  OrError<Partners> partners = partners_of(node, outside);
  if (LibraryError* error = std::get_if<LibraryError>(&partners)) return std::move(*error);
  const Partners& together = std::get<Partners>(partners);
  if (here.used + together.bytes_together <= limit) {
    place(node, together.bytes_together, together.modules);
    return std::nullopt;
  }
  if (!outside.empty() && here.used + sizes_.of(node) <= limit) {
    OrError<bool> done = split_partner(node, together, outside);
    if (LibraryError* error = std::get_if<LibraryError>(&done)) return std::move(*error);
    if (std::get<bool>(done)) return std::nullopt;
  }
  if (splittable(node) && (rules_.engine == Engine::split_always || here.used + sizes_.of(node) >= limit)) {
    split(node);
    return std::nullopt;
  }
  if (escape_left_out(node, together.bytes_together)) return std::nullopt;
  if (request_.fallback_allocation && here.used == 0 && here.limited) {
    OrError<bool> done = fall_back(node, together);
    if (LibraryError* error = std::get_if<LibraryError>(&done)) return std::move(*error);
    if (std::get<bool>(done)) return std::nullopt;
  }
  next_device(node, together.bytes_together, limit, reserve);
  here.used += reserve;
  return std::nullopt;
}

// A no-split module that would not fit the next, empty GPU either gives up the parameters that its class lets out:
// transformers 5.23.0 integrations/accelerate.py infer_auto_device_map.
bool Walk::escape_left_out(NodeIndex node, double bytes_together) {
  if (request_.left_out == nullptr || !unsplit_[static_cast<std::size_t>(node)]) return false;
  if (current_ + 1 == devices_.size()) return false;
  const DeviceState& next = devices_[current_ + 1];
  if (is_named(next.device, "cpu") || is_named(next.device, "disk")) return false;
  if (next.used + bytes_together <= next.budget.bytes) return false;
  const std::size_t prefix = tree_.full_name(node).size() + 1;
  const std::vector<std::string>& names = *request_.left_out;
  std::vector<NodeIndex> parameters;
  std::vector<NodeIndex> buffers;
  bool any = false;
  for (NodeIndex index = node + 1; index < tree_[node].end; ++index) {
    if (tree_.is_module(index)) continue;
    const NodeIndex same = tree_[index].same_tensor_as;
    if (same != index && tree_.inside(same, node)) continue;  // listed under its first name
    const bool parameter = tree_[index].kind == NodeKind::parameter;
    if (std::find(names.begin(), names.end(), tree_.full_name(index).substr(prefix)) == names.end()) {
      (parameter ? parameters : buffers).push_back(index);
    } else {
      any = any || parameter;
    }
  }
  if (!any) return false;
  for (auto at = buffers.rbegin(); at != buffers.rend(); ++at) work_.push_front(*at);
  for (auto at = parameters.rbegin(); at != parameters.rend(); ++at) work_.push_front(*at);
  layers_.placed(node);
  return true;
}

// fallback_allocation: the first module in depth-first order that would fit goes to the front of the list.
OrError<bool> Walk::fall_back(NodeIndex node, const Partners& together) {
  const bool partners_larger = together.bytes_together > layers_.bytes();
  const bool fractional = partners_larger ? together.fractional : layers_.fractional();
  if (fractional || !device().budget.whole)
    return library_error("AttributeError", "'float' object has no attribute 'upper'");
  const double limit = device().budget.bytes - (partners_larger ? together.bytes_together : layers_.bytes());
  if (limit < 0) return false;
  OrError<NodeIndex> fitting = first_that_fits(limit);
  if (LibraryError* error = std::get_if<LibraryError>(&fitting)) return std::move(*error);
  const NodeIndex found = std::get<NodeIndex>(fitting);
  if (found == kNoNode) return false;
  while (!work_.holds(found)) {
    const NodeIndex holder = work_.holder_of(found);
    if (holder == kNoNode) return false;
    work_.insert_parts(holder, holder);
    work_.remove(holder);
  }
  work_.remove(found);
  work_.push_front(node);
  work_.push_front(found);
  return true;
}

OrError<NodeIndex> Walk::first_that_fits(double limit) const {
  WorkList rest = work_;
  while (!rest.empty()) {
    const NodeIndex node = rest.front();
    rest.remove(node);
    double bytes = sizes_.of(node);
    for (const NodeIndex member : ties_.members_outside(node)) {
      OrError<NodeIndex> found = holder(member, rest);
      if (std::holds_alternative<LibraryError>(found)) return found;
      bytes += sizes_.of(std::get<NodeIndex>(found)) - sizes_.of(member);
    }
    if (bytes <= limit) return node;
    if (splittable(node)) rest.insert_parts(node, rest.front());
  }
  return kNoNode;
}

Allocation Walk::finished() const {
  std::vector<Device> names;
  double offloaded = 0;
  for (const DeviceState& state : devices_) {
    names.push_back(state.device);
    if (is_named(state.device, "cpu") || is_named(state.device, "disk")) offloaded += state.offloaded_buffers;
  }
  const bool clean = request_.clean_result && request_.left_out == nullptr;
  Allocation result;
  result.device_map = clean ? cleaned(tree_, placed_, names) : as_placed(tree_, placed_, names);
  result.passed_over = passed_over_;
  if (!rules_.warns_of_buffers || offloaded <= 0 || request_.offload_buffers || gpu_count_ == 0) return result;
  for (const DeviceState& state : devices_) {
    if (is_named(state.device, "cpu") || is_named(state.device, "disk")) continue;
    const double seen = rules_.engine == Engine::size_first ? state.seen : std::max(state.used, 0.0);
    if (state.budget.bytes >= offloaded + seen) return result;
  }
  result.buffer_warning = offloaded;
  return result;
}

OrError<Allocation> Walk::run() {
  while (!work_.empty()) {
    const NodeIndex node = work_.front();
    work_.remove(node);
    if (std::optional<LibraryError> error = step(node)) return std::move(*error);
  }
  return finished();
}

}  // namespace

std::vector<bool> unsplit_nodes(const FlatTree& tree, const std::vector<std::string>& no_split) {
  std::vector<bool> unsplit(tree.nodes().size());
  if (no_split.empty()) return unsplit;
  for (std::size_t i = 0; i < unsplit.size(); ++i) {
    const Node& node = tree[static_cast<NodeIndex>(i)];
    unsplit[i] =
        node.kind == NodeKind::module && std::find(no_split.begin(), no_split.end(), node.class_name) != no_split.end();
  }
  return unsplit;
}

OrderedAllocation allocate_in_order(const AllocationRequest& request, const Rules& rules) {
  Walk walk(request, rules);
  OrError<Allocation> answer = walk.run();
  return {std::move(answer), walk.deciding_groups()};
}

}  // namespace whyfail::fixer
