// The device types of torch 2.5 to 2.15 (c10/core/Device.cpp); older and newer ones differ in rare backends only.
#include "fixer/placement/torch_device.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace whyfail::fixer {

namespace {

constexpr std::array<std::string_view, 22> kTypes = {
    "cpu", "cuda", "ipu",  "xpu",    "mkldnn", "opengl", "opencl", "ideep", "hip",           "ve", "fpga", "maia",
    "xla", "ort",  "lazy", "vulkan", "mps",    "meta",   "hpu",    "mtia",  "privateuseone", "npu"};

// "0" or a number without a zero in front.
bool is_device_index(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool is_torch_device(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view type = text.substr(0, colon);
  if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) return false;
  if (colon == std::string_view::npos) return true;
  return is_device_index(text.substr(colon + 1));
}

namespace {

// "cuda0" and "cuda:" break torch's pattern; "gpu" fits it and names no type.
bool fits_device_pattern(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view type = text.substr(0, colon);
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (type.empty() || !std::all_of(type.begin(), type.end(), letter)) return false;
  if (colon == std::string_view::npos) return true;
  return is_device_index(text.substr(colon + 1));
}

std::optional<LibraryError> absent_gpu(std::int64_t index, const PlacementMachine& machine) {
  if (machine.gpus.empty()) return library_error("RuntimeError", "No CUDA GPUs are available");
  if (index >= 0 && static_cast<std::size_t>(index) < machine.gpus.size()) return std::nullopt;
  return library_error("RuntimeError", "CUDA error: invalid device ordinal");
}

}  // namespace

std::optional<LibraryError> unusable_device(const DeviceValue& device, const PlacementMachine& machine) {
  if (device.kind == DeviceValue::Kind::number || device.kind == DeviceValue::Kind::boolean) {
    return absent_gpu(device.number, machine);
  }
  const std::string text = device.name();
  if (text == "disk") return std::nullopt;
  if (!is_torch_device(text)) {
    OrError<std::string> type = torch_device_type(Device(text));
    return std::get<LibraryError>(std::move(type));
  }
  if (text.starts_with("cuda")) {
    std::int64_t index = 0;
    if (text.size() > 5) std::from_chars(text.data() + 5, text.data() + text.size(), index);
    return absent_gpu(index, machine);
  }
  return std::nullopt;
}

OrError<std::string> torch_device_type(const Device& device) {
  if (const std::int64_t* number = std::get_if<std::int64_t>(&device)) {
    if (*number < 0) return library_error("RuntimeError", "Device index must not be negative");
    return std::string("cuda");
  }
  const std::string& text = std::get<std::string>(device);
  if (is_torch_device(text)) return text.substr(0, text.find(':'));
  if (text.empty()) return library_error("RuntimeError", "Device string must not be empty");
  if (!fits_device_pattern(text)) return library_error("RuntimeError", "Invalid device string: '" + text + "'");
  return library_error("RuntimeError",
                       "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, "
                       "lazy, vulkan, mps, meta, hpu, mtia, privateuseone device type at start of device string: " +
                           text.substr(0, text.find(':')));
}

}  // namespace whyfail::fixer
