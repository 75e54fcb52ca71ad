// What drivers and system calls of a machine answer, as plain values: the same shape whether a library was really asked
// (in a child process) or a recording says what it would have answered. Sizes are bytes; a figure is signed because
// drivers do answer nonsense and nonsense must be seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whyfail::probes {

using Figure = std::optional<std::int64_t>;
using ComputeCapability = std::optional<std::pair<int, int>>;

// How asking a library ended.
struct LibraryState {
  enum class Outcome { ok, missing, error, hangs, crashes, missing_symbol, not_asked };
  Outcome outcome = Outcome::missing;
  std::string name;  // the error's name, or the missing symbol

  bool ok() const { return outcome == Outcome::ok; }
};

struct MigInstance {
  std::string uuid;
  std::string name;
  Figure total;
  Figure free;
  std::int64_t gpu_instance = 0;
  std::int64_t compute_instance = 0;
};

struct NvmlProcess {
  std::int64_t pid = 0;
  std::string name;
  Figure used;  // none: NVML does not tell (Windows)
};

struct NvmlDevice {
  std::string name;
  std::string uuid;
  std::string pci_bus_id;
  Figure total;
  Figure free;
  Figure used;
  Figure reserved;  // none: the driver has only the first version of nvmlDeviceGetMemoryInfo
  ComputeCapability compute_capability;
  std::string driver_model;  // "WDDM", "TCC", "MCDM"; empty: NVML gives none
  std::string luid;
  bool mig_enabled = false;
  std::vector<MigInstance> instances;
  std::vector<NvmlProcess> processes;
  std::string memory_error;  // "NOT_SUPPORTED"; empty: the figures were given
};

struct NvmlAnswer {
  LibraryState state;
  std::string driver_version;
  std::vector<NvmlDevice> devices;  // in PCI order
};

struct CudaDevice {
  std::string uuid;  // of a MIG instance its own
  std::string name;
  std::string pci_bus_id;
  bool integrated = false;
  ComputeCapability compute_capability;
  Figure total;  // cuDeviceTotalMem
};

struct CudaAnswer {
  LibraryState state;
  std::vector<CudaDevice> devices;  // as CUDA enumerates with CUDA_DEVICE_ORDER and VISIBLE_DEVICES unset
};

struct NvidiaAnswer {
  NvmlAnswer nvml;
  CudaAnswer cuda;
};

struct LevelZeroTile {
  Figure total;
  Figure free;
};

struct LevelZeroDevice {
  std::string name;
  std::string uuid;
  std::string pci_bus_id;
  bool integrated = false;
  std::vector<LevelZeroTile> tiles;
};

struct LevelZeroAnswer {
  LibraryState state;
  std::vector<LevelZeroDevice> devices;
};

struct DxgiAdapter {  // IDXGIAdapter3::QueryVideoMemoryInfo, local segment group
  std::string luid;
  Figure budget;
  Figure current_usage;
};

struct WindowsAnswer {
  std::string version;
  Figure physical_total;      // GlobalMemoryStatusEx: ullTotalPhys
  Figure physical_available;  // ullAvailPhys
  Figure commit_available;    // ullAvailPageFile
  std::vector<DxgiAdapter> adapters;
};

struct DarwinAnswer {
  std::string version;
  Figure memory_size;  // sysctl hw.memsize
  Figure page_size;
  Figure free_pages;
  Figure inactive_pages;
  Figure swap_total;
  Figure swap_used;
  std::string metal_name;  // empty: no Metal device
  Figure metal_working_set;
};

struct FileSystemFigures {
  std::string type;
  Figure total;
  Figure available;  // for this user
  bool read_only = false;
};

}  // namespace whyfail::probes
