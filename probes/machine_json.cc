// A machine as the JSON text of its contract (whyfail.machine/1).
#include <nlohmann/json.hpp>

#include "probes/sources.h"

namespace whyfail::probes {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
void put(Json& object, const char* key, const std::optional<Value>& value) {
  if (value) object[key] = *value;
}

void put(Json& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

Json system_json(const OperatingSystem& system) {
  // A paste's own words stay as they are; "family" then says which kind of system that is.
  Json json = {{"name", system.stated.empty() ? system.name : system.stated}};
  put(json, "family", system.name);
  put(json, "version", system.version);
  json["wsl"] = system.wsl;
  json["container"] = system.container ? Json(*system.container) : Json();
  put(json, "origin", system.origin);
  return json;
}

Json holder_json(const Holder& holder) {
  Json json = {{"pid", holder.pid}, {"name", holder.name}};
  put(json, "bytes", holder.bytes);
  return json;
}

Json gpu_json(const Gpu& gpu) {
  Json json;
  json["key"] = gpu.mps ? Json("mps") : gpu.index ? Json(*gpu.index) : Json();
  put(json, "name", gpu.name);
  put(json, "vendor", gpu.vendor);
  put(json, "uuid", gpu.uuid);
  put(json, "total_bytes", gpu.total_bytes);
  put(json, "free_bytes", gpu.free_bytes);
  put(json, "reserved_bytes", gpu.reserved_bytes);
  put(json, "compute_capability", gpu.compute_capability);
  json["driver_model"] = gpu.driver_model ? Json(*gpu.driver_model) : Json();
  json["unified"] = gpu.unified;
  json["mig"] = gpu.mig;
  put(json, "nvidia_index", gpu.nvidia_index);
  if (gpu.holders_known || !gpu.holders.empty()) {
    json["holders"] = Json::array();
    for (const Holder& holder : gpu.holders) json["holders"].push_back(holder_json(holder));
  }
  put(json, "origin", gpu.origin);
  return json;
}

Json memory_json(const Memory& memory) {
  Json json = Json::object();
  put(json, "total_bytes", memory.total_bytes);
  put(json, "available_bytes", memory.available_bytes);
  put(json, "limit_bytes", memory.limit_bytes);
  if (memory.limit_bytes) put(json, "limit_origin", memory.limit_origin);
  put(json, "usable_bytes", memory.usable_bytes);
  put(json, "swap_free_bytes", memory.swap_free_bytes);
  put(json, "swap_memory_backed", memory.swap_memory_backed);
  put(json, "commit_free_bytes", memory.commit_free_bytes);
  put(json, "address_space_limit_bytes", memory.address_space_limit_bytes);
  if (!json.empty()) put(json, "origin", memory.origin);
  return json;
}

Json disk_json(const Disk& disk) {
  Json json = Json::object();
  put(json, "purpose", disk.purpose);
  put(json, "path", disk.path);
  put(json, "filesystem", disk.filesystem);
  put(json, "total_bytes", disk.total_bytes);
  put(json, "free_bytes", disk.free_bytes);
  json["network"] = disk.network;
  json["memory_backed"] = disk.memory_backed;
  json["read_only"] = disk.read_only;
  put(json, "origin", disk.origin);
  return json;
}

template <typename Items, typename Write>
Json array_of(const Items& items, Write write) {
  Json json = Json::array();
  for (const auto& item : items) json.push_back(write(item));
  return json;
}

}  // namespace

std::string machine_json(const Machine& machine) {
  Json json = {{"schema", "whyfail.machine/1"}};
  if (machine.os) json["os"] = system_json(*machine.os);
  if (machine.gpus_known || !machine.gpus.empty() || machine.unknown.contains("gpus")) {
    json["gpus"] = array_of(machine.gpus, gpu_json);
    if (!machine.gpus_known) json["gpus_known"] = false;  // an empty list that does not mean "none"
  }
  if (Json memory = memory_json(machine.memory); !memory.empty()) json["memory"] = std::move(memory);
  if (!machine.disks.empty()) json["disks"] = array_of(machine.disks, disk_json);
  if (!machine.packages.empty()) json["packages"] = machine.packages;
  put(json, "packages_origin", machine.packages_origin);
  put(json, "python", machine.python);
  put(json, "python_origin", machine.python_origin);
  if (!machine.environment.empty()) json["environment"] = machine.environment;
  if (!machine.unknown.empty()) json["unknown"] = machine.unknown;
  // Names of files and processes may be any bytes; JSON text must be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace whyfail::probes
