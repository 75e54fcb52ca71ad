// NVML: cards in PCI order with their figures.
#include "probes/nvml_query.h"

#include <algorithm>
#include <limits>

#include "probes/nvml_functions.h"
#include "probes/shared_library.h"

namespace whyfail::probes {
namespace {

using Outcome = LibraryState::Outcome;

constexpr const char* second_version = "nvmlDeviceGetMemoryInfo_v2";

// nvmlReturn_t without its prefix NVML_ERROR_.
std::string error_name(nvml::Return code) {
  static const char* const names[] = {"SUCCESS",
                                      "UNINITIALIZED",
                                      "INVALID_ARGUMENT",
                                      "NOT_SUPPORTED",
                                      "NO_PERMISSION",
                                      "ALREADY_INITIALIZED",
                                      "NOT_FOUND",
                                      "INSUFFICIENT_SIZE",
                                      "INSUFFICIENT_POWER",
                                      "DRIVER_NOT_LOADED",
                                      "TIMEOUT",
                                      "IRQ_ISSUE",
                                      "LIBRARY_NOT_FOUND",
                                      "FUNCTION_NOT_FOUND",
                                      "CORRUPTED_INFOROM",
                                      "GPU_IS_LOST",
                                      "RESET_REQUIRED",
                                      "OPERATING_SYSTEM",
                                      "LIB_RM_VERSION_MISMATCH",
                                      "IN_USE",
                                      "MEMORY",
                                      "NO_DATA",
                                      "VGPU_ECC_NOT_SUPPORTED",
                                      "INSUFFICIENT_RESOURCES"};
  if (code >= 0 && code < static_cast<int>(std::size(names))) return names[code];
  return code == 999 ? "UNKNOWN" : "NUMBER_" + std::to_string(code);
}

Figure figure(unsigned long long bytes) {
  constexpr auto largest = static_cast<unsigned long long>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(bytes, largest));
}

class Nvml {
 public:
  explicit Nvml(const std::vector<std::string>& names) : library_(names) {}

  NvmlAnswer ask() {
    if (!library_.opened()) {
      if (library_.problem().empty()) return {{Outcome::missing, {}}, {}, {}};
      return {{Outcome::error, library_.problem()}, {}, {}};
    }
    for (const char* name : {"nvmlInit_v2", "nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2",
                             "nvmlDeviceGetName", "nvmlDeviceGetUUID", "nvmlDeviceGetMemoryInfo"}) {
      if (library_.function<void (*)()>(name) == nullptr) return {{Outcome::missing_symbol, name}, {}, {}};
    }
    if (const auto code = library_.function<nvml::Init>("nvmlInit_v2")(); code != nvml::success) {
      return {{Outcome::error, error_name(code)}, {}, {}};
    }
    NvmlAnswer answer;
    answer.state.outcome = Outcome::ok;
    memory_v2_ = library_.function<nvml::GetMemoryInfo_v2>(second_version);
    if (memory_v2_ == nullptr) answer.state = {Outcome::missing_symbol, second_version};
    answer.driver_version = driver_version();
    unsigned int count = 0;
    const auto code = library_.function<nvml::GetCount>("nvmlDeviceGetCount_v2")(&count);
    if (code != nvml::success) return {{Outcome::error, error_name(code)}, answer.driver_version, {}};
    for (unsigned int i = 0; i < std::min(count, 1024U); ++i) answer.devices.push_back(device_at(i));
    return answer;
  }

 private:
  std::string driver_version() const {
    char text[96] = {};
    const auto get = library_.function<nvml::GetDriverVersion>("nvmlSystemGetDriverVersion");
    if (get == nullptr || get(text, sizeof text - 1) != nvml::success) return {};
    return text;
  }

  std::string text_of(const char* function, nvml::Device device) const {
    char text[128] = {};
    const auto get = library_.function<nvml::GetText>(function);
    if (get(device, text, sizeof text - 1) != nvml::success) return {};
    return text;
  }

  NvmlDevice device_at(unsigned int index) const {
    NvmlDevice answer;
    nvml::Device device = nullptr;
    const auto code = library_.function<nvml::GetHandleByIndex>("nvmlDeviceGetHandleByIndex_v2")(index, &device);
    if (code != nvml::success) {
      answer.name = "NVIDIA GPU " + std::to_string(index);
      answer.memory_error = error_name(code);
      return answer;
    }
    answer.name = text_of("nvmlDeviceGetName", device);
    answer.uuid = text_of("nvmlDeviceGetUUID", device);
    nvml::PciInfo pci{};
    const auto get_pci = library_.function<nvml::GetPciInfo>("nvmlDeviceGetPciInfo_v3");
    if (get_pci != nullptr && get_pci(device, &pci) == nvml::success) {
      answer.pci_bus_id.assign(pci.busId, std::find(pci.busId, pci.busId + sizeof pci.busId, '\0'));
    }
    read_memory(device, answer);
    read_capability(device, answer);
    read_driver_model(device, answer);
    read_processes(device, answer);
    read_mig(device, answer);
    return answer;
  }

  void read_memory(nvml::Device device, NvmlDevice& answer) const {
    nvml::Memory_v2 second{};
    second.version = nvml::memory_v2_version;
    if (memory_v2_ != nullptr && memory_v2_(device, &second) == nvml::success) {
      answer.total = figure(second.total);
      answer.free = figure(second.free);
      answer.used = figure(second.used);
      answer.reserved = figure(second.reserved);
      return;
    }
    nvml::Memory first{};
    const auto code = library_.function<nvml::GetMemoryInfo>("nvmlDeviceGetMemoryInfo")(device, &first);
    if (code != nvml::success) {
      answer.memory_error = error_name(code);
      return;
    }
    answer.total = figure(first.total);
    answer.free = figure(first.free);
    answer.used = figure(first.used);
  }

  void read_capability(nvml::Device device, NvmlDevice& answer) const {
    int major = 0;
    int minor = 0;
    const auto get = library_.function<nvml::GetCudaComputeCapability>("nvmlDeviceGetCudaComputeCapability");
    if (get != nullptr && get(device, &major, &minor) == nvml::success) answer.compute_capability = {major, minor};
  }

  void read_driver_model(nvml::Device device, NvmlDevice& answer) const {
    static const char* const names[] = {"WDDM", "TCC", "MCDM"};
    unsigned int current = 0;
    unsigned int pending = 0;
    const auto get = library_.function<nvml::GetDriverModel>("nvmlDeviceGetDriverModel");
    if (get != nullptr && get(device, &current, &pending) == nvml::success && current < std::size(names)) {
      answer.driver_model = names[current];
    }
  }

  std::string process_name(unsigned int pid) const {
    char name[256] = {};
    const auto get = library_.function<nvml::GetProcessName>("nvmlSystemGetProcessName");
    if (get == nullptr || get(pid, name, sizeof name - 1) != nvml::success) return {};
    return name;
  }

  template <typename Info>
  void add_processes(nvml::Device device, nvml::Return (*get)(nvml::Device, unsigned int*, Info*),
                     NvmlDevice& answer) const {
    std::vector<Info> infos(64);
    auto count = static_cast<unsigned int>(infos.size());
    auto code = get(device, &count, infos.data());
    if (code == nvml::error_insufficient_size && count < 65536) {
      infos.resize(count + 16);
      count = static_cast<unsigned int>(infos.size());
      code = get(device, &count, infos.data());
    }
    if (code != nvml::success) return;
    for (unsigned int i = 0; i < std::min(count, static_cast<unsigned int>(infos.size())); ++i) {
      const auto pid = static_cast<std::int64_t>(infos[i].pid);
      const bool known = std::any_of(answer.processes.begin(), answer.processes.end(),
                                     [&](const NvmlProcess& process) { return process.pid == pid; });
      if (known) continue;  // a program that computes and draws is in both lists
      const auto used = infos[i].usedGpuMemory;
      answer.processes.push_back(
          {pid, process_name(infos[i].pid), used == nvml::value_not_available ? std::nullopt : figure(used)});
    }
  }

  void read_processes(nvml::Device device, NvmlDevice& answer) const {
    for (const std::string kind : {"nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses"}) {
      auto get = library_.function<nvml::GetProcesses>((kind + "_v3").c_str());
      if (get == nullptr) get = library_.function<nvml::GetProcesses>((kind + "_v2").c_str());
      const auto first = library_.function<nvml::GetProcesses_v1>(kind.c_str());
      if (get != nullptr) {
        add_processes(device, get, answer);
      } else if (first != nullptr) {
        add_processes(device, first, answer);
      }
    }
  }

  void read_mig(nvml::Device device, NvmlDevice& answer) const {
    const auto mode = library_.function<nvml::GetMigMode>("nvmlDeviceGetMigMode");
    const auto maximum = library_.function<nvml::GetNumber>("nvmlDeviceGetMaxMigDeviceCount");
    const auto handle = library_.function<nvml::GetMigDeviceHandleByIndex>("nvmlDeviceGetMigDeviceHandleByIndex");
    unsigned int current = 0;
    unsigned int pending = 0;
    unsigned int count = 0;
    if (mode == nullptr || mode(device, &current, &pending) != nvml::success || current != 1) return;
    answer.mig_enabled = true;
    if (maximum == nullptr || handle == nullptr || maximum(device, &count) != nvml::success) return;
    for (unsigned int i = 0; i < std::min(count, 64U); ++i) {
      nvml::Device instance = nullptr;
      if (handle(device, i, &instance) == nvml::success) answer.instances.push_back(instance_of(instance));
    }
  }

  MigInstance instance_of(nvml::Device device) const {
    MigInstance answer;
    answer.uuid = text_of("nvmlDeviceGetUUID", device);
    answer.name = text_of("nvmlDeviceGetName", device);
    NvmlDevice memory;
    read_memory(device, memory);
    answer.total = memory.total;
    answer.free = memory.free;
    answer.gpu_instance = number_of(device, "nvmlDeviceGetGpuInstanceId");
    answer.compute_instance = number_of(device, "nvmlDeviceGetComputeInstanceId");
    return answer;
  }

  std::int64_t number_of(nvml::Device device, const char* function) const {
    unsigned int number = 0;
    const auto get = library_.function<nvml::GetNumber>(function);
    return get != nullptr && get(device, &number) == nvml::success ? static_cast<std::int64_t>(number) : 0;
  }

  SharedLibrary library_;
  nvml::GetMemoryInfo_v2 memory_v2_ = nullptr;
};

}  // namespace

NvmlAnswer ask_nvml(const std::vector<std::string>& library_names) { return Nvml(library_names).ask(); }

}  // namespace whyfail::probes
