// One ioctl on the render node.
#include "probes/amdgpu_fusion.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <system_error>

namespace whyfail::probes {
namespace {

// include/uapi/drm/amdgpu_drm.h: struct drm_amdgpu_info without its union, which this query does not use.
struct InfoRequest {
  std::uint64_t return_pointer;
  std::uint32_t return_size;
  std::uint32_t query;
  std::uint32_t unused[4];
};
static_assert(sizeof(InfoRequest) == 32);

// The beginning of struct drm_amdgpu_info_device, up to ids_flags; the kernel writes no more than return_size.
struct DeviceInfo {
  std::uint32_t device_id;
  std::uint32_t chip_rev;
  std::uint32_t external_rev;
  std::uint32_t pci_rev;
  std::uint32_t family;
  std::uint32_t num_shader_engines;
  std::uint32_t num_shader_arrays_per_engine;
  std::uint32_t gpu_counter_freq;
  std::uint64_t max_engine_clock;
  std::uint64_t max_memory_clock;
  std::uint32_t cu_active_number;
  std::uint32_t cu_ao_mask;
  std::uint32_t cu_bitmap[4][4];
  std::uint32_t enabled_rb_pipes_mask;
  std::uint32_t num_rb_pipes;
  std::uint32_t num_hw_gfx_contexts;
  std::uint32_t pcie_gen;
  std::uint64_t ids_flags;
};

constexpr std::uint32_t query_dev_info = 0x16;                     // AMDGPU_INFO_DEV_INFO
constexpr std::uint64_t flag_fusion = 0x1;                         // AMDGPU_IDS_FLAGS_FUSION
constexpr unsigned long info_call = _IOW('d', 0x45, InfoRequest);  // DRM_IOCTL_AMDGPU_INFO

}  // namespace

std::optional<bool> amdgpu_fusion(const std::string& pci_address) {
  std::error_code error;
  const auto node = std::filesystem::canonical("/dev/dri/by-path/pci-" + pci_address + "-render", error);
  if (error) return std::nullopt;
  const int file = open(node.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  DeviceInfo info{};
  InfoRequest request{};
  request.return_pointer = reinterpret_cast<std::uintptr_t>(&info);
  request.return_size = sizeof info;
  request.query = query_dev_info;
  const int result = ioctl(file, info_call, &request);
  close(file);
  if (result != 0) return std::nullopt;
  return (info.ids_flags & flag_fusion) != 0;
}

}  // namespace whyfail::probes
