// The part of NVML that is asked, declared by hand in the smallest form (from nvml.h of CUDA 12.4; tests compare with
// the installed header where there is one). Names of types are NVML's so that they can be found there.
#pragma once

namespace whyfail::probes::nvml {

using Return = int;  // nvmlReturn_t
constexpr Return success = 0;
constexpr Return error_insufficient_size = 7;

using Device = struct nvmlDevice_st*;  // opaque

struct Memory {  // nvmlMemory_t
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct Memory_v2 {  // nvmlMemory_v2_t
  unsigned int version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};
constexpr unsigned int memory_v2_version = static_cast<unsigned int>(sizeof(Memory_v2)) | (2U << 24U);

struct PciInfo {  // nvmlPciInfo_t
  char busIdLegacy[16];
  unsigned int domain;
  unsigned int bus;
  unsigned int device;
  unsigned int pciDeviceId;
  unsigned int pciSubSystemId;
  char busId[32];
};

struct ProcessInfo {  // nvmlProcessInfo_t, functions _v2 and _v3
  unsigned int pid;
  unsigned long long usedGpuMemory;
  unsigned int gpuInstanceId;
  unsigned int computeInstanceId;
};

struct ProcessInfo_v1 {  // nvmlProcessInfo_v1_t, functions without a version
  unsigned int pid;
  unsigned long long usedGpuMemory;
};
constexpr unsigned long long value_not_available = ~0ULL;

using Init = Return (*)();
using GetDriverVersion = Return (*)(char*, unsigned int);
using GetCount = Return (*)(unsigned int*);
using GetHandleByIndex = Return (*)(unsigned int, Device*);
using GetText = Return (*)(Device, char*, unsigned int);  // nvmlDeviceGetName, nvmlDeviceGetUUID
using GetPciInfo = Return (*)(Device, PciInfo*);
using GetMemoryInfo = Return (*)(Device, Memory*);
using GetMemoryInfo_v2 = Return (*)(Device, Memory_v2*);
using GetCudaComputeCapability = Return (*)(Device, int*, int*);
using GetProcesses = Return (*)(Device, unsigned int*, ProcessInfo*);
using GetProcesses_v1 = Return (*)(Device, unsigned int*, ProcessInfo_v1*);
using GetProcessName = Return (*)(unsigned int, char*, unsigned int);
using GetMigMode = Return (*)(Device, unsigned int*, unsigned int*);
using GetNumber = Return (*)(Device, unsigned int*);  // counts and ids of MIG instances
using GetMigDeviceHandleByIndex = Return (*)(Device, unsigned int, Device*);
using GetDriverModel = Return (*)(Device, unsigned int*, unsigned int*);

}  // namespace whyfail::probes::nvml
