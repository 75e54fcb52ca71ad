// The distinct devices of a map, and the texts.
#include "fixer/placement/one_device.h"

#include <algorithm>
#include <string>
#include <vector>

namespace whyfail::fixer {

namespace {

using Kind = DeviceValue::Kind;

bool is_whole(const DeviceValue& value) { return value.kind == Kind::number || value.kind == Kind::boolean; }

std::vector<DeviceValue> distinct_values(const ValueMap& map) {
  std::vector<DeviceValue> values;
  for (const auto& [key, value] : map) {
    // True is 1 to a Python set
    const DeviceValue plain = is_whole(value) ? DeviceValue::of_number(value.number) : value;
    if (std::find(values.begin(), values.end(), plain) == values.end()) values.push_back(plain);
  }
  return values;
}

std::string type_name(const DeviceValue& value) {
  switch (value.kind) {
    case Kind::number:
    case Kind::boolean:
      return "int";
    case Kind::text:
      return "str";
    case Kind::torch_device:
      return "torch.device";
    case Kind::none:
      return "NoneType";
    case Kind::real:
      return "float";
  }
  return "";
}

// sorted() of the values: an error for kinds that Python does not compare. Which of two kinds is named first depends on
// the order of the set; numbers, whose place in it is fixed, are mostly first.
std::optional<LibraryError> sinq_refusal(std::vector<DeviceValue> values) {
  if (values.size() < 2) return std::nullopt;
  std::stable_sort(values.begin(), values.end(), [](const DeviceValue& left, const DeviceValue& right) {
    if (is_whole(left) && is_whole(right)) return left.number < right.number;
    if (left.kind == Kind::text && right.kind == Kind::text) return left.text < right.text;
    return is_whole(left) && !is_whole(right);
  });
  const auto other = std::find_if(values.begin(), values.end(), [&](const DeviceValue& value) {
    return type_name(value) != type_name(values.front());
  });
  const bool comparable = is_whole(values.front()) || values.front().kind == Kind::text;
  if (other != values.end() || !comparable) {
    const DeviceValue& second = other != values.end() ? *other : values[1];
    return library_error("TypeError", "'<' not supported between instances of '" + type_name(second) + "' and '" +
                                          type_name(values.front()) + "'");
  }
  std::string list;
  for (const DeviceValue& value : values) {
    if (!list.empty()) list += ", ";
    list += is_whole(value) ? std::to_string(value.number) : "'" + value.text + "'";
  }
  return library_error("RuntimeError",
                       "SinqHfQuantizer: multi-GPU device_map detected, but SINQ currently supports only a single CUDA "
                       "device. Got [" +
                           list + "]. Please use device_map=None.");
}

// "cuda", "cuda:1" as torch.device reads it; empty: no CUDA device.
std::string cuda_device(const DeviceValue& value) {
  if (is_whole(value)) return "cuda:" + std::to_string(value.number);
  if (value.kind != Kind::text && value.kind != Kind::torch_device) return {};
  return value.text == "cuda" || value.text.starts_with("cuda:") ? value.text : std::string();
}

std::optional<LibraryError> nvfp4_refusal(MapState state, const ValueMap& map) {
  if (state == MapState::not_given) {
    return library_error("ValueError", "NVFP4 quantization requires a CUDA `device_map`.");
  }
  std::vector<std::string> devices;
  for (const auto& [key, value] : map) {
    std::string device = cuda_device(value);
    if (device.empty()) {
      devices.clear();
      state = MapState::strategy;
      break;
    }
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(std::move(device));
  }
  if (state == MapState::strategy) {
    return library_error("ValueError", "NVFP4 quantization does not support CPU or disk offload.");
  }
  if (devices.size() == 1) return std::nullopt;
  return library_error("ValueError",
                       "NVFP4 quantization currently supports one CUDA device. Tensor parallelism and multi-device "
                       "`device_map` configurations are not supported yet.");
}

}  // namespace

std::optional<LibraryError> one_device_refusal(OneDevice rule, MapState state, const ValueMap& map) {
  if (rule == OneDevice::nvfp4) return nvfp4_refusal(state, map);
  return state == MapState::map ? sinq_refusal(distinct_values(map)) : std::nullopt;
}

}  // namespace whyfail::fixer
