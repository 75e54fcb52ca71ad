// The declarations made by hand against the headers of an installed CUDA Toolkit.
#include <gtest/gtest.h>

#include <cstddef>

#include "probes/cuda_functions.h"
#include "probes/nvml_functions.h"

#if __has_include(<nvml.h>)
#include <nvml.h>
#define WHYFAIL_HAS_NVML 1
#endif
#if __has_include(<cuda.h>)
#include <cuda.h>
#define WHYFAIL_HAS_CUDA 1
#endif

namespace whyfail::probes {
namespace {

TEST(Declarations, AgreeWithNvml) {
#ifdef WHYFAIL_HAS_NVML
  static_assert(sizeof(nvml::Memory) == sizeof(nvmlMemory_t));
  static_assert(offsetof(nvml::Memory, used) == offsetof(nvmlMemory_t, used));
  static_assert(sizeof(nvml::Memory_v2) == sizeof(nvmlMemory_v2_t));
  static_assert(offsetof(nvml::Memory_v2, reserved) == offsetof(nvmlMemory_v2_t, reserved));
  static_assert(offsetof(nvml::Memory_v2, free) == offsetof(nvmlMemory_v2_t, free));
  static_assert(nvml::memory_v2_version == nvmlMemory_v2);
  static_assert(sizeof(nvml::PciInfo) == sizeof(nvmlPciInfo_t));
  static_assert(offsetof(nvml::PciInfo, busId) == offsetof(nvmlPciInfo_t, busId));
  static_assert(sizeof(nvml::ProcessInfo) == sizeof(nvmlProcessInfo_t));
  static_assert(offsetof(nvml::ProcessInfo, usedGpuMemory) == offsetof(nvmlProcessInfo_t, usedGpuMemory));
  static_assert(sizeof(nvml::ProcessInfo_v1) == sizeof(nvmlProcessInfo_v1_t));
  static_assert(nvml::success == NVML_SUCCESS && nvml::error_insufficient_size == NVML_ERROR_INSUFFICIENT_SIZE);
  static_assert(NVML_ERROR_DRIVER_NOT_LOADED == 9 && NVML_ERROR_GPU_IS_LOST == 15 &&
                NVML_ERROR_INSUFFICIENT_RESOURCES == 23);
  static_assert(NVML_DRIVER_WDDM == 0 && NVML_DRIVER_WDM == 1);
#else
  GTEST_SKIP() << "no nvml.h on this machine";
#endif
}

TEST(Declarations, AgreeWithCuda) {
#ifdef WHYFAIL_HAS_CUDA
  static_assert(sizeof(cuda::Uuid) == sizeof(CUuuid));
  static_assert(sizeof(cuda::Device) == sizeof(CUdevice));
  static_assert(sizeof(cuda::Result) == sizeof(CUresult));
  static_assert(cuda::success == CUDA_SUCCESS);
  static_assert(cuda::attribute_integrated == CU_DEVICE_ATTRIBUTE_INTEGRATED);
  static_assert(cuda::attribute_compute_capability_major == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  static_assert(cuda::attribute_compute_capability_minor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
#else
  GTEST_SKIP() << "no cuda.h on this machine";
#endif
}

}  // namespace
}  // namespace whyfail::probes
