// NVIDIA cards out of what NVML and the CUDA driver answer.
#include "probes/nvidia_cards.h"

#include <algorithm>
#include <set>

#include "probes/text_lines.h"
#include "probes/visible_devices.h"

namespace whyfail::probes {
namespace {

using Outcome = LibraryState::Outcome;

// "00000000:0B:00.0" and "0000:0b:00.0" are one place.
std::string plain_pci(std::string_view address) {
  std::string plain = lower_case(address);
  const std::size_t first = plain.find_first_not_of('0');
  return first == std::string::npos ? plain : plain.substr(first);
}

bool same_card(const CudaDevice& device, const std::string& uuid, const std::string& pci) {
  if (!device.uuid.empty() && !uuid.empty()) return device.uuid == uuid;
  return !pci.empty() && plain_pci(device.pci_bus_id) == plain_pci(pci);
}

// What is the same for all cards of one machine.
class Reader {
 public:
  Reader(const System& system, const Memory& memory, bool wsl)
      : system_(system), memory_(memory), wsl_(wsl), answer_(system.nvidia()) {
    const auto variables = system.environment();
    if (const auto found = variables.find("CUDA_VISIBLE_DEVICES"); found != variables.end()) visible_ = found->second;
    if (const auto found = variables.find("CUDA_DEVICE_ORDER"); found != variables.end()) {
      pci_order_ = found->second == "PCI_BUS_ID";
    }
  }

  NvidiaCards read() {
    const LibraryState& nvml = answer_.nvml.state;
    const bool first_version = nvml.outcome == Outcome::missing_symbol && nvml.name == "nvmlDeviceGetMemoryInfo_v2";
    if (nvml.ok() || first_version) {
      from_nvml();
    } else {
      if (answer_.cuda.state.ok()) from_cuda();
      explain_failure();
    }
    return std::move(result_);
  }

 private:
  // --- NVML answers ---

  void from_nvml() {
    const auto& devices = answer_.nvml.devices;
    result_.cards.any = !devices.empty();
    if (devices.empty()) return;
    std::vector<VisibleCard> cards;
    for (const NvmlDevice& device : devices) cards.push_back(visible_card(device));
    const std::vector<std::size_t> order = physical_order();
    add_chosen(cards, chosen(cards, order));
    if (!visible_ && !any_mig() && !order.empty()) add_unlisted(order);
  }

  static VisibleCard visible_card(const NvmlDevice& device) {
    VisibleCard card{device.uuid, {}, device.mig_enabled};
    for (const MigInstance& instance : device.instances) {
      card.instances.push_back({instance.uuid, "MIG-" + device.uuid + "/" + std::to_string(instance.gpu_instance) +
                                                   "/" + std::to_string(instance.compute_instance)});
    }
    return card;
  }

  bool any_mig() const {
    return std::any_of(answer_.nvml.devices.begin(), answer_.nvml.devices.end(),
                       [](const NvmlDevice& device) { return device.mig_enabled; });
  }

  // The card, and of a MIG instance which one, that an entry of CUDA's list is.
  std::optional<Chosen> place_of(const CudaDevice& device) const {
    const auto& cards = answer_.nvml.devices;
    for (std::size_t i = 0; i < cards.size(); ++i) {
      for (std::size_t j = 0; j < cards[i].instances.size(); ++j) {
        if (cards[i].instances[j].uuid == device.uuid) return Chosen{i, j, std::nullopt};
      }
      if (same_card(device, cards[i].uuid, cards[i].pci_bus_id)) return Chosen{i, std::nullopt, std::nullopt};
    }
    return std::nullopt;
  }

  // order[i] is the card that index i names; empty: not known.
  std::vector<std::size_t> physical_order() const {
    const auto& cards = answer_.nvml.devices;
    std::vector<std::size_t> order;
    if (!pci_order_ && answer_.cuda.state.ok()) {
      for (const CudaDevice& device : answer_.cuda.devices) {
        const auto place = place_of(device);
        if (place && std::find(order.begin(), order.end(), *place->card) == order.end()) order.push_back(*place->card);
      }
      // With MIG, CUDA lists a single instance; the other cards can still be named.
      if (!any_mig() && !order.empty()) return order;
    } else if (!pci_order_) {
      const bool alike = std::all_of(cards.begin(), cards.end(),
                                     [&](const NvmlDevice& card) { return card.name == cards.front().name; });
      if (!alike) return {};
    }
    for (std::size_t i = 0; i < cards.size(); ++i) {
      if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
    }
    return order;
  }

  std::vector<Chosen> chosen(const std::vector<VisibleCard>& cards, const std::vector<std::size_t>& order) const {
    if (visible_) return visible_to_cuda(*visible_, cards, order);
    std::vector<Chosen> all;
    if (any_mig() && answer_.cuda.state.ok()) {
      for (const CudaDevice& device : answer_.cuda.devices) {
        if (const auto place = place_of(device)) all.push_back(*place);
      }
      return all;
    }
    std::string every;  // unset means every index in turn
    const std::size_t count = order.empty() ? cards.size() : order.size();
    for (std::size_t i = 0; i < count; ++i) every += (i == 0 ? "" : ",") + std::to_string(i);
    return visible_to_cuda(every, cards, order);
  }

  void add_chosen(const std::vector<VisibleCard>& cards, const std::vector<Chosen>& choices) {
    std::set<std::size_t> placed;
    bool unplaced = false;
    for (std::size_t key = 0; key < choices.size(); ++key) {
      if (!choices[key].card) {
        unplaced = true;
        continue;
      }
      placed.insert(*choices[key].card);
      add(*choices[key].card, choices[key].instance, static_cast<int>(key));
    }
    if (!unplaced) return;
    for (std::size_t card = 0; card < cards.size(); ++card) {
      const auto whole = whole_card(cards, card);
      if (whole && !placed.contains(card)) add(card, whole->instance, std::nullopt);
    }
    result_.cards.reasons.push_back(
        "the order in which CUDA numbers these different cards is not known, because the CUDA driver could not be "
        "asked; with CUDA_DEVICE_ORDER=PCI_BUS_ID it is nvidia-smi's");
  }

  // Cards that CUDA does not list: there, but no program will be given one.
  void add_unlisted(const std::vector<std::size_t>& order) {
    for (std::size_t card = 0; card < answer_.nvml.devices.size(); ++card) {
      if (std::find(order.begin(), order.end(), card) == order.end()) add(card, std::nullopt, std::nullopt);
    }
  }

  const CudaDevice* cuda_entry(const std::string& uuid, const std::string& pci) const {
    for (const CudaDevice& device : answer_.cuda.devices) {
      if (same_card(device, uuid, pci)) return &device;
    }
    return nullptr;
  }

  void add(std::size_t place, std::optional<std::size_t> instance, std::optional<int> key) {
    const NvmlDevice& device = answer_.nvml.devices[place];
    Gpu gpu;
    gpu.index = key;
    gpu.vendor = "nvidia";
    gpu.name = instance ? device.instances[*instance].name : device.name;
    gpu.uuid = instance ? device.instances[*instance].uuid : device.uuid;
    gpu.mig = instance.has_value();
    gpu.nvidia_index = static_cast<int>(place);
    gpu.origin = system_.origin() + ": NVML";
    set_capability(gpu, device.compute_capability);
    set_driver_model(gpu, device.driver_model);
    if (instance) {
      set_figures(gpu, device.instances[*instance].total, device.instances[*instance].free, result_.cards.reasons);
    } else {
      set_card_figures(gpu, device);
    }
    result_.cards.visible.push_back({std::move(gpu), place});
  }

  void set_card_figures(Gpu& gpu, const NvmlDevice& device) {
    const CudaDevice* cuda = cuda_entry(device.uuid, device.pci_bus_id);
    const bool unified =
        answer_.cuda.state.ok() ? cuda != nullptr && cuda->integrated : device.memory_error == "NOT_SUPPORTED";
    gpu.holders_known = true;
    for (const NvmlProcess& process : device.processes) {
      const bool told = process.used && *process.used >= 0;
      gpu.holders.push_back(
          {process.pid, process.name, told ? std::optional(static_cast<std::uint64_t>(*process.used)) : std::nullopt});
    }
    if (unified) {
      set_unified(gpu, memory_, result_.cards.reasons);
    } else if (!device.memory_error.empty()) {
      result_.cards.reasons.push_back("NVML does not give the memory of " + gpu.name + ": " + device.memory_error);
    } else {
      set_figures(gpu, device.total, device.free, result_.cards.reasons);
      if (device.reserved && *device.reserved >= 0) gpu.reserved_bytes = static_cast<std::uint64_t>(*device.reserved);
      cap_to_budget(gpu, device.luid);
    }
  }

  // Under WDDM Windows grants a process no more than its budget, whatever is free on the card.
  void cap_to_budget(Gpu& gpu, const std::string& luid) {
    const auto windows = system_.windows();
    if (!windows || gpu.driver_model != "wddm" || luid.empty() || !gpu.free_bytes) return;
    for (const DxgiAdapter& adapter : windows->adapters) {
      if (adapter.luid != luid || !adapter.budget || !adapter.current_usage) continue;
      const std::int64_t left = *adapter.budget - std::min(*adapter.budget, *adapter.current_usage);
      gpu.free_bytes = std::min(*gpu.free_bytes, static_cast<std::uint64_t>(std::max<std::int64_t>(0, left)));
      gpu.origin += ", DXGI budget";
    }
  }

  static void set_capability(Gpu& gpu, const ComputeCapability& capability) {
    if (!capability) return;
    gpu.compute_capability = std::to_string(capability->first) + "." + std::to_string(capability->second);
  }

  void set_driver_model(Gpu& gpu, const std::string& model) const {
    if (!model.empty()) {
      gpu.driver_model = lower_case(model);
    } else if (wsl_) {
      gpu.driver_model = "wddm";  // the Windows driver serves the guest; NVML there does not say so
    }
  }

  // --- only the CUDA driver answers ---

  void from_cuda() {
    const auto& devices = answer_.cuda.devices;
    result_.cards.any = !devices.empty();
    std::vector<VisibleCard> cards;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      cards.push_back({devices[i].uuid, {}, false});
      order.push_back(i);
    }
    std::vector<std::size_t> by_pci = order;
    std::stable_sort(by_pci.begin(), by_pci.end(), [&](std::size_t one, std::size_t other) {
      return lower_case(devices[one].pci_bus_id) < lower_case(devices[other].pci_bus_id);
    });
    if (pci_order_) order = by_pci;
    std::vector<Chosen> choices;
    if (visible_) {
      choices = visible_to_cuda(*visible_, cards, order);
    } else {
      for (std::size_t card : order) choices.push_back({card, std::nullopt, std::nullopt});
    }
    for (std::size_t key = 0; key < choices.size() && !cards.empty(); ++key) {
      const std::size_t place = *choices[key].card;
      const auto pci = std::find(by_pci.begin(), by_pci.end(), place) - by_pci.begin();
      add_cuda(devices[place], static_cast<std::size_t>(pci), static_cast<int>(key));
    }
  }

  void add_cuda(const CudaDevice& device, std::size_t pci_place, int key) {
    Gpu gpu;
    gpu.index = key;
    gpu.vendor = "nvidia";
    gpu.name = device.name;
    gpu.uuid = device.uuid;
    gpu.mig = device.uuid.starts_with("MIG-");
    gpu.origin = system_.origin() + ": CUDA driver";
    set_capability(gpu, device.compute_capability);
    set_driver_model(gpu, {});
    if (device.integrated) {
      set_unified(gpu, memory_, result_.cards.reasons);
    } else {
      set_figures(gpu, device.total, std::nullopt, result_.cards.reasons);
    }
    result_.cards.visible.push_back({std::move(gpu), pci_place});
  }

  // --- why NVML did not answer ---

  bool all_integrated() const {
    const auto& devices = answer_.cuda.devices;
    return answer_.cuda.state.ok() && !devices.empty() &&
           std::all_of(devices.begin(), devices.end(), [](const CudaDevice& device) { return device.integrated; });
  }

  bool has_device_nodes() const {
    if (system_.kind() != SystemKind::linux_kernel) return false;
    const auto names = system_.list("/dev");
    return std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.starts_with("nvidia"); });
  }

  static std::string failure_text(const std::string& library, const LibraryState& state) {
    switch (state.outcome) {
      case Outcome::error:
        return library + " answers with the error " + state.name;
      case Outcome::hangs:
        return library + " did not answer in time";
      case Outcome::crashes:
        return library + " crashed";
      case Outcome::missing_symbol:
        return library + " has no function " + state.name;
      default:
        return {};
    }
  }

  void explain_failure() {
    const bool cuda = answer_.cuda.state.ok();
    const Outcome outcome = answer_.nvml.state.outcome;
    if (all_integrated()) return;
    if (outcome != Outcome::missing) {
      result_.cards.reasons.push_back(failure_text("NVML (the NVIDIA driver's library)", answer_.nvml.state));
      result_.certain = cuda;
      return;
    }
    if (cuda) {
      result_.cards.reasons.push_back("NVML is not installed here, so what is free on the cards cannot be told");
      return;
    }
    result_.library_missing = true;
    result_.missing_reason = "no NVIDIA driver library on this machine";
    if (has_device_nodes()) {
      result_.missing_reason += ", although there are /dev/nvidia nodes: the driver is there, its libraries are not";
      result_.certain = false;
    }
    const std::string driver = failure_text("the CUDA driver", answer_.cuda.state);
    if (!driver.empty()) result_.missing_reason += "; " + driver;
  }

  const System& system_;
  const Memory& memory_;
  bool wsl_;
  NvidiaAnswer answer_;
  std::optional<std::string> visible_;
  bool pci_order_ = false;
  NvidiaCards result_;
};

}  // namespace

NvidiaCards nvidia_cards(const System& system, const Memory& memory, bool wsl) {
  return Reader(system, memory, wsl).read();
}

}  // namespace whyfail::probes
