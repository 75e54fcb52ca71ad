// The device types of torch 2.5 to 2.15 (c10/core/Device.cpp); older and newer ones differ in rare backends only.
#include "fixer/placement/torch_device.h"

#include <algorithm>
#include <array>

namespace whyfail::fixer {

namespace {

constexpr std::array<std::string_view, 22> kTypes = {
    "cpu", "cuda", "ipu",  "xpu",    "mkldnn", "opengl", "opencl", "ideep", "hip",           "ve", "fpga", "maia",
    "xla", "ort",  "lazy", "vulkan", "mps",    "meta",   "hpu",    "mtia",  "privateuseone", "npu"};

}  // namespace

bool is_torch_device(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view type = text.substr(0, colon);
  if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) return false;
  if (colon == std::string_view::npos) return true;
  const std::string_view index = text.substr(colon + 1);
  return !index.empty() && std::all_of(index.begin(), index.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Outcome<std::string> torch_device_type(const Device& device) {
  if (const std::int64_t* number = std::get_if<std::int64_t>(&device)) {
    if (*number < 0) return library_error("RuntimeError", "Device index must not be negative");
    return std::string("cuda");
  }
  const std::string& text = std::get<std::string>(device);
  if (is_torch_device(text)) return text.substr(0, text.find(':'));
  return library_error("RuntimeError",
                       "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, "
                       "lazy, vulkan, mps, meta, hpu, mtia, privateuseone device type at start of device string: " +
                           text);
}

}  // namespace whyfail::fixer
