// NVML first, the CUDA driver if needed.
#include "probes/nvidia_libraries.h"

#include <algorithm>

#include "probes/answers_json.h"
#include "probes/child_process.h"
#include "probes/cuda_query.h"
#include "probes/library_search.h"
#include "probes/nvml_query.h"

namespace whyfail::probes {
namespace {

using Outcome = LibraryState::Outcome;

LibraryState failed(ChildAnswer::End end) {
  return {end == ChildAnswer::End::hangs ? Outcome::hangs : Outcome::crashes, {}};
}

NvmlAnswer nvml_in_child(const NvidiaLibraries& libraries) {
  if (!may_be_found(libraries.nvml)) return {};
  const ChildAnswer child = ask_child([&] { return nvml_text(ask_nvml(libraries.nvml)); }, libraries.nvml_limit);
  if (child.end != ChildAnswer::End::answered) return {failed(child.end), {}, {}};
  return nvml_from(child.text);
}

CudaAnswer cuda_in_child(const NvidiaLibraries& libraries) {
  if (!may_be_found(libraries.cuda)) return {};
  const ChildAnswer child = ask_child([&] { return cuda_text(ask_cuda(libraries.cuda)); }, libraries.cuda_limit);
  if (child.end != ChildAnswer::End::answered) return {failed(child.end), {}};
  return cuda_from(child.text);
}

bool leaves_something_open(const NvmlAnswer& nvml, bool pci_order) {
  const bool listed = nvml.state.ok() || (nvml.state.outcome == Outcome::missing_symbol && !nvml.devices.empty());
  if (!listed) return true;
  return std::any_of(nvml.devices.begin(), nvml.devices.end(), [&](const NvmlDevice& device) {
    return device.mig_enabled || !device.memory_error.empty() ||
           (!pci_order && device.name != nvml.devices.front().name);
  });
}

// CUDA gives the uuid of a MIG instance without saying that it is one.
void name_instances(NvidiaAnswer& answer) {
  for (CudaDevice& device : answer.cuda.devices) {
    for (const NvmlDevice& card : answer.nvml.devices) {
      for (const MigInstance& instance : card.instances) {
        if (device.uuid.size() > 4 && instance.uuid == "MIG-" + device.uuid.substr(4)) device.uuid = instance.uuid;
      }
    }
  }
}

}  // namespace

NvidiaLibraries installed_nvidia_libraries() {
  using std::chrono::milliseconds;
  return {{"libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"},
          {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"},
          milliseconds(3000),
          milliseconds(6000)};
}

NvidiaAnswer ask_nvidia(const NvidiaLibraries& libraries, bool pci_order) {
  NvidiaAnswer answer;
  answer.cuda.state.outcome = Outcome::not_asked;
  answer.nvml = nvml_in_child(libraries);
  if (leaves_something_open(answer.nvml, pci_order)) {
    answer.cuda = cuda_in_child(libraries);
    name_instances(answer);
  }
  return answer;
}

}  // namespace whyfail::probes
