// Reads the short form of a machine description.
#include <algorithm>

#include "probes/byte_size.h"
#include "probes/description.h"
#include "probes/package_name.h"
#include "probes/text_lines.h"

namespace whyfail::probes {
namespace {

constexpr const char* origin = "option --machine";

BadDescription bad(std::string_view what, std::string_view value, const std::string& wanted) {
  return {"--machine: \"" + std::string(what) + "=" + std::string(value) + "\": " + wanted};
}

std::optional<BadDescription> add_gpu(Machine& machine, std::string_view value) {
  machine.gpus_known = true;
  if (value == "none") return std::nullopt;
  std::string_view total = value;
  std::string_view free;
  if (const std::size_t colon = value.find(':'); colon != std::string_view::npos) {
    total = trimmed(value.substr(0, colon));
    free = trimmed(value.substr(colon + 1));
    if (!free.ends_with("free")) return bad("gpu", value, "after the colon write the free bytes, such as 22.5GiB free");
    free = trimmed(free.substr(0, free.size() - 4));
  }
  Gpu gpu;
  gpu.index = static_cast<int>(machine.gpus.size());
  gpu.total_bytes = byte_size(total, Gigabyte::decimal);
  gpu.free_bytes = free.empty() ? gpu.total_bytes : byte_size(free, Gigabyte::decimal);
  if (!gpu.total_bytes || !gpu.free_bytes || *gpu.total_bytes == 0) {
    return bad("gpu", value, "not a size; write gpu=24GiB, gpu=24GiB:22.5GiB free or gpu=none");
  }
  if (*gpu.free_bytes > *gpu.total_bytes) return bad("gpu", value, "more is free than there is in total");
  if (machine.gpus.size() >= 1024) return bad("gpu", value, "more than 1024 GPUs");
  gpu.origin = origin;
  machine.gpus.push_back(gpu);
  return std::nullopt;
}

std::optional<BadDescription> add_system(Machine& machine, std::string_view value) {
  OperatingSystem system;
  system.origin = origin;
  system.wsl = value == "wsl";
  system.name = system.wsl ? "linux" : value == "macos" ? "darwin" : std::string(value);
  if (system.name != "linux" && system.name != "windows" && system.name != "darwin") {
    return bad("os", value, "not known; write linux, windows, darwin or wsl");
  }
  machine.os = system;
  return std::nullopt;
}

std::optional<BadDescription> add_size(Machine& machine, std::string_view name, std::string_view value) {
  const auto size = byte_size(value, Gigabyte::decimal);
  if (!size) return bad(name, value, "not a size; write " + std::string(name) + "=64GiB");
  if (name == "ram") {
    machine.memory.available_bytes = size;
    machine.memory.usable_bytes = size;
    machine.memory.origin = origin;
  } else {
    Disk disk;
    disk.purpose = "offload";
    disk.free_bytes = size;
    disk.origin = origin;
    machine.disks.push_back(disk);
  }
  return std::nullopt;
}

std::optional<BadDescription> add_package(Machine& machine, std::string_view name, std::string_view value) {
  if (!looks_like_version(value)) {
    return bad(name, value, "not a version; known names are gpu, ram, disk, os, python and Python packages");
  }
  if (name == "python") {
    machine.python = value;
    machine.python_origin = origin;
  } else {
    machine.packages[normalised_package(name)] = value;
    machine.packages_origin = origin;
  }
  return std::nullopt;
}

std::optional<BadDescription> add(Machine& machine, std::string_view entry) {
  const std::size_t equals = entry.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return BadDescription{"--machine: \"" + std::string(entry) +
                          "\" is no name=value; write for example gpu=24GiB,ram=64GiB,os=linux"};
  }
  const std::string_view name = trimmed(entry.substr(0, equals));
  const std::string_view value = trimmed(entry.substr(equals + 1));
  if (name == "gpu") return add_gpu(machine, value);
  if (name == "os") return add_system(machine, value);
  if (name == "ram" || name == "disk") return add_size(machine, name, value);
  return add_package(machine, name, value);
}

}  // namespace

std::variant<Machine, BadDescription> machine_from_short_form(std::string_view text) {
  Machine machine;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view entry = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    if (entry.empty()) continue;
    if (auto refused = add(machine, entry)) return *refused;
  }
  return machine;
}

}  // namespace whyfail::probes
