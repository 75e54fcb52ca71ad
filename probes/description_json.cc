// Reads a machine description (whyfail.machine/1).
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "probes/description.h"
#include "probes/package_name.h"

namespace whyfail::probes {
namespace {

using Json = nlohmann::json;

// Where in the description something is wrong; caught in machine_from_json, never leaves this file.
struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

// An object of the description, with its place for messages.
class Part {
 public:
  Part(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
    if (!json.is_object()) throw Wrong(place_ + " must be an object, not " + shown(json));
  }

  const Json* find(const char* key) const {
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }

  [[noreturn]] void refuse(const char* key, const std::string& wanted) const {
    throw Wrong(place_of(key) + " must be " + wanted + ", not " + shown(json_.at(key)));
  }

  std::string place_of(const std::string& key) const { return place_.empty() ? key : place_ + "." + key; }

  std::string text(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return {};
    if (!value->is_string()) refuse(key, "text");
    return value->get<std::string>();
  }

  bool truth(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return false;
    if (!value->is_boolean()) refuse(key, "true or false");
    return value->get<bool>();
  }

  std::optional<std::uint64_t> bytes(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() > largest) {
      refuse(key, "a whole number of bytes (24 GiB is 25769803776)");
    }
    return value->get<std::uint64_t>();
  }

  std::optional<int> index(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() > 4095)
      refuse(key, "a whole number from 0 to 4095");
    return value->get<int>();
  }

  template <typename Read>
  void each(const char* key, Read read) const {
    const Json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_array()) refuse(key, "a list");
    for (std::size_t i = 0; i < value->size(); ++i) {
      read(Part((*value)[i], place_of(key) + "[" + std::to_string(i) + "]"));
    }
  }

  std::map<std::string, std::string> texts(const char* key) const {
    std::map<std::string, std::string> all;
    const Json* value = find(key);
    if (value == nullptr) return all;
    const Part part(*value, place_of(key));
    for (const auto& [name, entry] : value->items()) {
      if (!entry.is_string()) throw Wrong(part.place_of(name) + " must be text, not " + shown(entry));
      all[name] = entry.get<std::string>();
    }
    return all;
  }

 private:
  const Json& json_;
  std::string place_;
};

std::string origin_of(const Part& part, const std::string& name) {
  const std::string origin = part.text("origin");
  return origin.empty() ? name : origin;
}

OperatingSystem system_of(const Part& part, const std::string& name) {
  OperatingSystem system;
  system.name = part.text("name");
  const std::string family = part.text("family");
  if (!family.empty() && family != system.name) {
    system.stated = system.name;
    system.name = family;
  }
  system.version = part.text("version");
  system.wsl = part.truth("wsl");
  if (part.find("container") != nullptr) system.container = part.text("container");
  system.origin = origin_of(part, name);
  return system;
}

void check_key(const Part& part, Gpu& gpu) {
  const Json* key = part.find("key");
  if (key != nullptr && key->is_string()) {
    if (*key != "mps") part.refuse("key", "a number or \"mps\"");
    gpu.mps = true;
  } else {
    gpu.index = part.index("key");
  }
}

Gpu gpu_of(const Part& part, const std::string& name) {
  Gpu gpu;
  check_key(part, gpu);
  gpu.name = part.text("name");
  gpu.vendor = part.text("vendor");
  gpu.uuid = part.text("uuid");
  gpu.total_bytes = part.bytes("total_bytes");
  gpu.free_bytes = part.bytes("free_bytes");
  gpu.reserved_bytes = part.bytes("reserved_bytes");
  if (gpu.total_bytes && *gpu.total_bytes == 0) part.refuse("total_bytes", "more than 0");
  if (gpu.total_bytes && gpu.free_bytes.value_or(0) > *gpu.total_bytes) {
    part.refuse("free_bytes", "at most total_bytes");
  }
  gpu.compute_capability = part.text("compute_capability");
  if (part.find("driver_model") != nullptr) gpu.driver_model = part.text("driver_model");
  gpu.unified = part.truth("unified");
  gpu.mig = part.truth("mig");
  gpu.nvidia_index = part.index("nvidia_index");
  gpu.holders_known = part.find("holders") != nullptr;
  part.each("holders", [&](const Part& entry) {
    const auto pid = entry.bytes("pid");
    gpu.holders.push_back({static_cast<std::int64_t>(pid.value_or(0)), entry.text("name"), entry.bytes("bytes")});
  });
  gpu.origin = origin_of(part, name);
  return gpu;
}

Memory memory_of(const Part& part, const std::string& name) {
  Memory memory;
  memory.total_bytes = part.bytes("total_bytes");
  memory.available_bytes = part.bytes("available_bytes");
  memory.limit_bytes = part.bytes("limit_bytes");
  memory.limit_origin = part.text("limit_origin");
  memory.usable_bytes = part.bytes("usable_bytes");
  memory.swap_free_bytes = part.bytes("swap_free_bytes");
  if (part.find("swap_memory_backed") != nullptr) memory.swap_memory_backed = part.truth("swap_memory_backed");
  memory.commit_free_bytes = part.bytes("commit_free_bytes");
  memory.address_space_limit_bytes = part.bytes("address_space_limit_bytes");
  memory.origin = origin_of(part, name);
  return memory;
}

Disk disk_of(const Part& part, const std::string& name) {
  Disk disk;
  disk.purpose = part.text("purpose");
  disk.path = part.text("path");
  disk.filesystem = part.text("filesystem");
  disk.total_bytes = part.bytes("total_bytes");
  disk.free_bytes = part.bytes("free_bytes");
  disk.network = part.truth("network");
  disk.memory_backed = part.truth("memory_backed");
  disk.read_only = part.truth("read_only");
  disk.origin = origin_of(part, name);
  return disk;
}

void read_gpus(const Part& whole, const std::string& name, Machine& machine) {
  std::set<int> keys;
  whole.each("gpus", [&](const Part& part) {
    machine.gpus.push_back(gpu_of(part, name));
    const auto& index = machine.gpus.back().index;
    if (index && !keys.insert(*index).second) part.refuse("key", "different for each GPU");
  });
  const bool listed = whole.find("gpus") != nullptr;
  machine.gpus_known = listed && (whole.find("gpus_known") == nullptr || whole.truth("gpus_known"));
}

Machine machine_of(const Json& json, const std::string& name) {
  const Part whole(json, {});
  const std::string schema = whole.text("schema");
  if (!schema.empty() && schema != "whyfail.machine/1") whole.refuse("schema", "\"whyfail.machine/1\"");
  Machine machine;
  bool any = false;
  for (const char* group : {"os", "gpus", "memory", "disks", "packages", "python", "environment", "unknown"}) {
    any = any || whole.find(group) != nullptr;
  }
  if (!any && schema.empty()) throw Wrong("holds none of os, gpus, memory, disks, packages");
  if (const Json* system = whole.find("os")) machine.os = system_of(Part(*system, "os"), name);
  read_gpus(whole, name, machine);
  if (const Json* memory = whole.find("memory")) machine.memory = memory_of(Part(*memory, "memory"), name);
  whole.each("disks", [&](const Part& part) { machine.disks.push_back(disk_of(part, name)); });
  for (const auto& [package, version] : whole.texts("packages")) {
    machine.packages[normalised_package(package)] = version;
  }
  machine.packages_origin = whole.text("packages_origin");
  if (machine.packages_origin.empty() && !machine.packages.empty()) machine.packages_origin = name;
  machine.python = whole.text("python");
  machine.python_origin = whole.text("python_origin");
  if (machine.python_origin.empty() && !machine.python.empty()) machine.python_origin = name;
  machine.environment = whole.texts("environment");
  machine.unknown = whole.texts("unknown");
  return machine;
}

}  // namespace

std::variant<Machine, BadDescription> machine_from_json(std::string_view text, const std::string& name) {
  const std::string advice = "; whyfail probe --json prints a description in the right form";
  try {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) return BadDescription{name + " is not JSON" + advice};
    return machine_of(json, name);
  } catch (const Wrong& wrong) {
    return BadDescription{name + ": " + wrong.what() + advice};
  } catch (const std::exception& error) {
    return BadDescription{name + " cannot be read as a machine description: " + error.what() + advice};
  }
}

}  // namespace whyfail::probes
