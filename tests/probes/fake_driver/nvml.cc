// A libnvidia-ml.so.1 that answers as a recording says. WITHOUT_MEMORY_V2 and WITHOUT_INIT leave functions out, as old
// or foreign libraries do.
#include <cstdint>

#include "fake_driver/answers.h"
#include "probes/nvml_functions.h"

namespace {

using namespace whyfail::probes;
using whyfail::fake_driver::answers;
using whyfail::fake_driver::copy_text;

constexpr nvml::Return not_found = 6;

// Handles: 1 + index of a card, or 1000 × (1 + card) + instance.
struct Place {
  const NvmlDevice* card = nullptr;
  const MigInstance* instance = nullptr;
};

nvml::Device handle(std::size_t number) { return reinterpret_cast<nvml::Device>(static_cast<std::uintptr_t>(number)); }

Place place(nvml::Device device) {
  const auto number = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(device));
  const auto& cards = answers().nvml.devices;
  if (number < 1000) return {&cards.at(number - 1), nullptr};
  const NvmlDevice& card = cards.at(number / 1000 - 1);
  return {&card, &card.instances.at(number % 1000)};
}

nvml::Return error_number(const std::string& name) {
  if (name == "NOT_SUPPORTED") return 3;
  if (name == "NO_PERMISSION") return 4;
  if (name == "DRIVER_NOT_LOADED") return 9;
  return 999;
}

unsigned long long bytes(const Figure& figure) { return static_cast<unsigned long long>(figure.value_or(0)); }

}  // namespace

extern "C" {

#ifndef WITHOUT_INIT
nvml::Return nvmlInit_v2() {
  const LibraryState& state = answers().nvml.state;
  return whyfail::fake_driver::works(state) ? nvml::success : error_number(state.name);
}
#endif

nvml::Return nvmlSystemGetDriverVersion(char* text, unsigned int size) {
  copy_text(answers().nvml.driver_version, text, size);
  return nvml::success;
}

nvml::Return nvmlDeviceGetCount_v2(unsigned int* count) {
  *count = static_cast<unsigned int>(answers().nvml.devices.size());
  return nvml::success;
}

nvml::Return nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvml::Device* device) {
  *device = handle(index + 1);
  return nvml::success;
}

nvml::Return nvmlDeviceGetName(nvml::Device device, char* text, unsigned int size) {
  const Place found = place(device);
  copy_text(found.instance != nullptr ? found.instance->name : found.card->name, text, size);
  return nvml::success;
}

nvml::Return nvmlDeviceGetUUID(nvml::Device device, char* text, unsigned int size) {
  const Place found = place(device);
  copy_text(found.instance != nullptr ? found.instance->uuid : found.card->uuid, text, size);
  return nvml::success;
}

nvml::Return nvmlDeviceGetPciInfo_v3(nvml::Device device, nvml::PciInfo* info) {
  copy_text(place(device).card->pci_bus_id, info->busId, sizeof info->busId);
  return nvml::success;
}

nvml::Return nvmlDeviceGetMemoryInfo(nvml::Device device, nvml::Memory* memory) {
  const Place found = place(device);
  if (!found.card->memory_error.empty()) return error_number(found.card->memory_error);
  memory->total = bytes(found.instance != nullptr ? found.instance->total : found.card->total);
  memory->free = bytes(found.instance != nullptr ? found.instance->free : found.card->free);
  memory->used = bytes(found.card->used);
  return nvml::success;
}

#ifndef WITHOUT_MEMORY_V2
nvml::Return nvmlDeviceGetMemoryInfo_v2(nvml::Device device, nvml::Memory_v2* memory) {
  if (memory->version != nvml::memory_v2_version) return 25;  // NVML_ERROR_ARGUMENT_VERSION_MISMATCH
  nvml::Memory first{};
  const auto code = nvmlDeviceGetMemoryInfo(device, &first);
  memory->total = first.total;
  memory->free = first.free;
  memory->used = first.used;
  memory->reserved = bytes(place(device).card->reserved);
  return code;
}
#endif

nvml::Return nvmlDeviceGetCudaComputeCapability(nvml::Device device, int* major, int* minor) {
  const auto capability = place(device).card->compute_capability.value_or(std::pair(0, 0));
  *major = capability.first;
  *minor = capability.second;
  return nvml::success;
}

nvml::Return nvmlDeviceGetComputeRunningProcesses_v3(nvml::Device device, unsigned int* count,
                                                     nvml::ProcessInfo* infos) {
  const auto& processes = place(device).card->processes;
  if (processes.size() > *count) {
    *count = static_cast<unsigned int>(processes.size());
    return nvml::error_insufficient_size;
  }
  for (std::size_t i = 0; i < processes.size(); ++i) {
    infos[i].pid = static_cast<unsigned int>(processes[i].pid);
    infos[i].usedGpuMemory = processes[i].used ? bytes(processes[i].used) : nvml::value_not_available;
  }
  *count = static_cast<unsigned int>(processes.size());
  return nvml::success;
}

nvml::Return nvmlSystemGetProcessName(unsigned int pid, char* text, unsigned int size) {
  for (const NvmlDevice& card : answers().nvml.devices) {
    for (const NvmlProcess& process : card.processes) {
      if (process.pid == static_cast<std::int64_t>(pid)) {
        copy_text(process.name, text, size);
        return nvml::success;
      }
    }
  }
  return not_found;
}

nvml::Return nvmlDeviceGetMigMode(nvml::Device device, unsigned int* current, unsigned int* pending) {
  *current = place(device).card->mig_enabled ? 1 : 0;
  *pending = *current;
  return nvml::success;
}

nvml::Return nvmlDeviceGetMaxMigDeviceCount(nvml::Device, unsigned int* count) {
  *count = 7;
  return nvml::success;
}

nvml::Return nvmlDeviceGetMigDeviceHandleByIndex(nvml::Device device, unsigned int index, nvml::Device* instance) {
  if (index >= place(device).card->instances.size()) return not_found;
  *instance = handle(static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(device)) * 1000 + index);
  return nvml::success;
}

nvml::Return nvmlDeviceGetGpuInstanceId(nvml::Device device, unsigned int* id) {
  *id = static_cast<unsigned int>(place(device).instance->gpu_instance);
  return nvml::success;
}

nvml::Return nvmlDeviceGetComputeInstanceId(nvml::Device device, unsigned int* id) {
  *id = static_cast<unsigned int>(place(device).instance->compute_instance);
  return nvml::success;
}

}  // extern "C"
