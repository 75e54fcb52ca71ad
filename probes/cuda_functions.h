// The part of the CUDA driver that is asked, declared by hand in the smallest form (from cuda.h of CUDA 12.4; tests
// compare with the installed header where there is one). Only devices are listed; no context is ever made.
#pragma once

#include <cstddef>

namespace whyfail::probes::cuda {

using Result = int;  // CUresult
constexpr Result success = 0;

using Device = int;  // CUdevice

struct Uuid {  // CUuuid
  char bytes[16];
};

constexpr int attribute_integrated = 18;                // CU_DEVICE_ATTRIBUTE_INTEGRATED
constexpr int attribute_compute_capability_major = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int attribute_compute_capability_minor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR

using Init = Result (*)(unsigned int);
using GetErrorName = Result (*)(Result, const char**);
using GetCount = Result (*)(int*);
using Get = Result (*)(Device*, int);
using GetName = Result (*)(char*, int, Device);
using GetUuid = Result (*)(Uuid*, Device);  // cuDeviceGetUuid_v2: of a MIG instance its own
using GetPciBusId = Result (*)(char*, int, Device);
using GetAttribute = Result (*)(int*, int, Device);
using TotalMem = Result (*)(std::size_t*, Device);  // cuDeviceTotalMem_v2

}  // namespace whyfail::probes::cuda
