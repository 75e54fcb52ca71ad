// A libcuda.so.1 that lists devices as a recording says. Like the real one it looks at the environment, so that a
// caller who forgot to clear CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER is found out.
#include <cstdint>

#include "fake_driver/answers.h"
#include "probes/cuda_functions.h"

namespace {

using namespace whyfail::probes;
using whyfail::fake_driver::answers;
using whyfail::fake_driver::copy_text;

constexpr cuda::Result no_device = 100;

const CudaDevice& at(cuda::Device device) { return answers().cuda.devices.at(static_cast<std::size_t>(device)); }

}  // namespace

extern "C" {

cuda::Result cuInit(unsigned int) {
  if (std::getenv("CUDA_VISIBLE_DEVICES") != nullptr || std::getenv("CUDA_DEVICE_ORDER") != nullptr) return no_device;
  return whyfail::fake_driver::works(answers().cuda.state) ? cuda::success : no_device;
}

cuda::Result cuGetErrorName(cuda::Result, const char** name) {
  *name = "CUDA_ERROR_NO_DEVICE";
  return cuda::success;
}

cuda::Result cuDeviceGetCount(int* count) {
  *count = static_cast<int>(answers().cuda.devices.size());
  return cuda::success;
}

cuda::Result cuDeviceGet(cuda::Device* device, int index) {
  *device = index;
  return cuda::success;
}

cuda::Result cuDeviceGetName(char* text, int size, cuda::Device device) {
  copy_text(at(device).name, text, size);
  return cuda::success;
}

cuda::Result cuDeviceGetUuid_v2(cuda::Uuid* uuid, cuda::Device device) {
  std::string digits;
  for (char letter : at(device).uuid.substr(4)) {
    if (letter != '-') digits += letter;
  }
  for (std::size_t i = 0; i < sizeof uuid->bytes; ++i) {
    uuid->bytes[i] = static_cast<char>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  }
  return cuda::success;
}

cuda::Result cuDeviceGetUuid(cuda::Uuid*, cuda::Device) { return no_device; }  // knows no MIG; _v2 must be preferred

cuda::Result cuDeviceGetPCIBusId(char* text, int size, cuda::Device device) {
  copy_text(at(device).pci_bus_id, text, size);
  return cuda::success;
}

cuda::Result cuDeviceGetAttribute(int* value, int attribute, cuda::Device device) {
  const auto capability = at(device).compute_capability.value_or(std::pair(0, 0));
  *value = attribute == cuda::attribute_integrated                 ? (at(device).integrated ? 1 : 0)
           : attribute == cuda::attribute_compute_capability_major ? capability.first
                                                                   : capability.second;
  return cuda::success;
}

cuda::Result cuDeviceTotalMem_v2(std::size_t* bytes, cuda::Device device) {
  *bytes = static_cast<std::size_t>(at(device).total.value_or(0));
  return cuda::success;
}

}  // extern "C"
