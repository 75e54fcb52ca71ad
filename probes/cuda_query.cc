// The CUDA driver's list of devices.
#include "probes/cuda_query.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "probes/cuda_functions.h"
#include "probes/shared_library.h"

namespace whyfail::probes {
namespace {

using Outcome = LibraryState::Outcome;

std::string uuid_text(const cuda::Uuid& uuid) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

class CudaDriver {
 public:
  explicit CudaDriver(const std::vector<std::string>& names) : library_(names) {}

  CudaAnswer ask() const {
    if (!library_.opened()) {
      if (library_.problem().empty()) return {{Outcome::missing, {}}, {}};
      return {{Outcome::error, library_.problem()}, {}};
    }
    for (const char* name :
         {"cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute", "cuDeviceGetUuid"}) {
      if (library_.function<void (*)()>(name) == nullptr) return {{Outcome::missing_symbol, name}, {}};
    }
    if (const auto code = library_.function<cuda::Init>("cuInit")(0); code != cuda::success) {
      return {{Outcome::error, error_name(code)}, {}};
    }
    int count = 0;
    if (const auto code = library_.function<cuda::GetCount>("cuDeviceGetCount")(&count); code != cuda::success) {
      return {{Outcome::error, error_name(code)}, {}};
    }
    CudaAnswer answer{{Outcome::ok, {}}, {}};
    for (int i = 0; i < std::min(count, 1024); ++i) {
      cuda::Device device = 0;
      if (library_.function<cuda::Get>("cuDeviceGet")(&device, i) == cuda::success) {
        answer.devices.push_back(device_of(device));
      }
    }
    return answer;
  }

 private:
  std::string error_name(cuda::Result code) const {
    const char* name = nullptr;
    const auto get = library_.function<cuda::GetErrorName>("cuGetErrorName");
    if (get != nullptr && get(code, &name) == cuda::success && name != nullptr) return name;
    return "CUDA error " + std::to_string(code);
  }

  int attribute(cuda::Device device, int which) const {
    int value = 0;
    library_.function<cuda::GetAttribute>("cuDeviceGetAttribute")(&value, which, device);
    return value;
  }

  CudaDevice device_of(cuda::Device device) const {
    CudaDevice answer;
    char name[256] = {};
    library_.function<cuda::GetName>("cuDeviceGetName")(name, sizeof name - 1, device);
    answer.name = name;
    cuda::Uuid uuid{};
    auto get_uuid = library_.function<cuda::GetUuid>("cuDeviceGetUuid_v2");
    if (get_uuid == nullptr) get_uuid = library_.function<cuda::GetUuid>("cuDeviceGetUuid");
    if (get_uuid(&uuid, device) == cuda::success) answer.uuid = uuid_text(uuid);
    char pci[32] = {};
    const auto get_pci = library_.function<cuda::GetPciBusId>("cuDeviceGetPCIBusId");
    if (get_pci != nullptr && get_pci(pci, sizeof pci - 1, device) == cuda::success) answer.pci_bus_id = pci;
    answer.integrated = attribute(device, cuda::attribute_integrated) != 0;
    answer.compute_capability = std::pair(attribute(device, cuda::attribute_compute_capability_major),
                                          attribute(device, cuda::attribute_compute_capability_minor));
    std::size_t total = 0;
    const auto get_total = library_.function<cuda::TotalMem>("cuDeviceTotalMem_v2");
    if (get_total != nullptr && get_total(&total, device) == cuda::success &&
        total <= static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max())) {
      answer.total = static_cast<std::int64_t>(total);
    }
    return answer;
  }

  SharedLibrary library_;
};

}  // namespace

CudaAnswer ask_cuda(const std::vector<std::string>& library_names) {
  unsetenv("CUDA_DEVICE_ORDER");
  unsetenv("CUDA_VISIBLE_DEVICES");
  return CudaDriver(library_names).ask();
}

}  // namespace whyfail::probes
