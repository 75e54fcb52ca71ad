// Answers of drivers from and to JSON.
#include "probes/answers_json.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

namespace whyfail::probes {
namespace {

using Json = nlohmann::json;
using Outcome = LibraryState::Outcome;

const Json& at(const Json& object, const char* key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

std::string text_at(const Json& object, const char* key) {
  const Json& value = at(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

Figure figure_of(const Json& value) {
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return number > static_cast<std::uint64_t>(largest) ? largest : static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const double number = value.get<double>();
  if (!std::isfinite(number) || std::fabs(number) > 9e18) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

Figure figure_at(const Json& object, const char* key) { return figure_of(at(object, key)); }

std::int64_t number_at(const Json& object, const char* key) { return figure_at(object, key).value_or(0); }

bool truth_at(const Json& object, const char* key) {
  const Json& value = at(object, key);
  return value.is_boolean() && value.get<bool>();
}

ComputeCapability capability_at(const Json& object) {
  const Json& value = at(object, "compute_capability");
  if (!value.is_array() || value.size() != 2) return std::nullopt;
  const Figure major = figure_of(value[0]);
  const Figure minor = figure_of(value[1]);
  if (!major || !minor || *major < 0 || *major > 999 || *minor < 0 || *minor > 999) return std::nullopt;
  return std::pair(static_cast<int>(*major), static_cast<int>(*minor));
}

template <typename Item, typename Read>
std::vector<Item> list_at(const Json& object, const char* key, Read read) {
  std::vector<Item> items;
  const Json& value = at(object, key);
  if (!value.is_array()) return items;
  for (const Json& entry : value) items.push_back(read(entry));
  return items;
}

LibraryState state_at(const Json& object) {
  const std::string status = text_at(object, "status");
  constexpr std::string_view error = "error:";
  constexpr std::string_view symbol = "missing symbol:";
  if (status == "ok") return {Outcome::ok, {}};
  if (status == "missing" || status.empty()) return {Outcome::missing, {}};
  if (status == "hangs") return {Outcome::hangs, {}};
  if (status == "crashes") return {Outcome::crashes, {}};
  if (status == "not asked") return {Outcome::not_asked, {}};
  if (status.starts_with(symbol)) return {Outcome::missing_symbol, status.substr(symbol.size())};
  return {Outcome::error, status.starts_with(error) ? status.substr(error.size()) : status};
}

std::string status_text(const LibraryState& state) {
  switch (state.outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::missing:
      return "missing";
    case Outcome::error:
      return "error:" + state.name;
    case Outcome::hangs:
      return "hangs";
    case Outcome::crashes:
      return "crashes";
    case Outcome::missing_symbol:
      return "missing symbol:" + state.name;
    case Outcome::not_asked:
      return "not asked";
  }
  return "missing";
}

MigInstance instance_of(const Json& json) {
  return {text_at(json, "uuid"),   text_at(json, "name"), figure_at(json, "total"),
          figure_at(json, "free"), number_at(json, "gi"), number_at(json, "ci")};
}

NvmlDevice nvml_device_of(const Json& json) {
  NvmlDevice device;
  device.name = text_at(json, "name");
  device.uuid = text_at(json, "uuid");
  device.pci_bus_id = text_at(json, "pci_bus_id");
  device.total = figure_at(json, "total");
  device.free = figure_at(json, "free");
  device.used = figure_at(json, "used");
  device.reserved = figure_at(json, "reserved");
  device.compute_capability = capability_at(json);
  device.driver_model = text_at(json, "driver_model");
  device.luid = text_at(json, "luid");
  device.memory_error = text_at(json, "memory_error");
  const Json& mig = at(json, "mig");
  device.mig_enabled = truth_at(mig, "enabled");
  device.instances = list_at<MigInstance>(mig, "instances", instance_of);
  device.processes = list_at<NvmlProcess>(json, "processes", [](const Json& entry) {
    return NvmlProcess{number_at(entry, "pid"), text_at(entry, "name"), figure_at(entry, "used")};
  });
  return device;
}

CudaDevice cuda_device_of(const Json& json) {
  return {text_at(json, "uuid"),        text_at(json, "name"), text_at(json, "pci_bus_id"),
          truth_at(json, "integrated"), capability_at(json),   figure_at(json, "total")};
}

NvmlAnswer nvml_of(const Json& json) {
  return {state_at(json), text_at(json, "driver_version"), list_at<NvmlDevice>(json, "devices", nvml_device_of)};
}

CudaAnswer cuda_of(const Json& json) { return {state_at(json), list_at<CudaDevice>(json, "devices", cuda_device_of)}; }

Json parse(std::string_view text) { return Json::parse(text, nullptr, false); }

Json number_json(const Figure& figure) { return figure ? Json(*figure) : Json(); }

Json capability_json(const ComputeCapability& capability) {
  return capability ? Json::array({capability->first, capability->second}) : Json();
}

Json device_json(const NvmlDevice& device) {
  Json json = {{"name", device.name},
               {"uuid", device.uuid},
               {"pci_bus_id", device.pci_bus_id},
               {"total", number_json(device.total)},
               {"free", number_json(device.free)},
               {"used", number_json(device.used)},
               {"reserved", number_json(device.reserved)},
               {"compute_capability", capability_json(device.compute_capability)},
               {"driver_model", device.driver_model.empty() ? Json() : Json(device.driver_model)},
               {"memory_error", device.memory_error.empty() ? Json() : Json(device.memory_error)},
               {"mig", Json()},
               {"processes", Json::array()}};
  if (!device.luid.empty()) json["luid"] = device.luid;
  if (device.mig_enabled) json["mig"] = {{"enabled", true}, {"instances", Json::array()}};
  for (const MigInstance& instance : device.instances) {
    json["mig"]["instances"].push_back({{"uuid", instance.uuid},
                                        {"name", instance.name},
                                        {"total", number_json(instance.total)},
                                        {"free", number_json(instance.free)},
                                        {"gi", instance.gpu_instance},
                                        {"ci", instance.compute_instance}});
  }
  for (const NvmlProcess& process : device.processes) {
    json["processes"].push_back({{"pid", process.pid}, {"name", process.name}, {"used", number_json(process.used)}});
  }
  return json;
}

// Names of processes and of cards are bytes of someone else's choosing; broken UTF-8 is replaced.
std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string nvml_text(const NvmlAnswer& answer) {
  Json json = {
      {"status", status_text(answer.state)}, {"driver_version", answer.driver_version}, {"devices", Json::array()}};
  for (const NvmlDevice& device : answer.devices) json["devices"].push_back(device_json(device));
  return dump(json);
}

std::string cuda_text(const CudaAnswer& answer) {
  Json json = {{"status", status_text(answer.state)}, {"devices", Json::array()}};
  for (const CudaDevice& device : answer.devices) {
    json["devices"].push_back({{"uuid", device.uuid},
                               {"name", device.name},
                               {"pci_bus_id", device.pci_bus_id},
                               {"integrated", device.integrated},
                               {"compute_capability", capability_json(device.compute_capability)},
                               {"total", number_json(device.total)}});
  }
  return dump(json);
}

NvmlAnswer nvml_from(std::string_view text) {
  const Json json = parse(text);
  return json.is_object() ? nvml_of(json) : NvmlAnswer{{Outcome::crashes, {}}, {}, {}};
}

CudaAnswer cuda_from(std::string_view text) {
  const Json json = parse(text);
  return json.is_object() ? cuda_of(json) : CudaAnswer{{Outcome::crashes, {}}, {}};
}

NvidiaAnswer nvidia_from(std::string_view text) {
  const Json json = parse(text);
  return {nvml_of(at(json, "nvml")), cuda_of(at(json, "cuda"))};
}

LevelZeroAnswer level_zero_from(std::string_view text) {
  const Json json = parse(text);
  return {state_at(json), list_at<LevelZeroDevice>(json, "devices", [](const Json& entry) {
            return LevelZeroDevice{text_at(entry, "name"), text_at(entry, "uuid"), text_at(entry, "pci_bus_id"),
                                   truth_at(entry, "integrated"),
                                   list_at<LevelZeroTile>(entry, "tiles", [](const Json& tile) {
                                     return LevelZeroTile{figure_at(tile, "total"), figure_at(tile, "free")};
                                   })};
          })};
}

WindowsAnswer windows_from(std::string_view text) {
  const Json json = parse(text);
  const Json& memory = at(json, "memory");
  return {text_at(json, "version"), figure_at(memory, "ullTotalPhys"), figure_at(memory, "ullAvailPhys"),
          figure_at(memory, "ullAvailPageFile"), list_at<DxgiAdapter>(json, "dxgi", [](const Json& entry) {
            return DxgiAdapter{text_at(entry, "luid"), figure_at(entry, "budget"), figure_at(entry, "current_usage")};
          })};
}

DarwinAnswer darwin_from(std::string_view text) {
  const Json json = parse(text);
  const Json& pages = at(json, "vm_stat");
  const Json& swap = at(json, "swap");
  const Json& metal = at(json, "metal");
  return {text_at(json, "version"), figure_at(json, "hw.memsize"), figure_at(pages, "page_size"),
          figure_at(pages, "free"), figure_at(pages, "inactive"),  figure_at(swap, "total"),
          figure_at(swap, "used"),  text_at(metal, "name"),        figure_at(metal, "recommendedMaxWorkingSetSize")};
}

std::map<std::string, FileSystemFigures> file_systems_from(std::string_view text) {
  std::map<std::string, FileSystemFigures> all;
  const Json json = parse(text);
  if (!json.is_object()) return all;
  for (const auto& [path, entry] : json.items()) {
    all[path] = {text_at(entry, "type"), figure_at(entry, "total_bytes"), figure_at(entry, "avail_bytes"),
                 truth_at(entry, "read_only")};
  }
  return all;
}

std::map<std::string, bool> amd_fusion_from(std::string_view text) {
  std::map<std::string, bool> all;
  const Json json = parse(text);
  if (!json.is_object()) return all;
  for (const auto& [address, entry] : json.items()) {
    if (at(entry, "fusion").is_boolean()) all[address] = truth_at(entry, "fusion");
  }
  return all;
}

std::map<std::string, std::string> strings_from(std::string_view text) {
  std::map<std::string, std::string> all;
  const Json json = parse(text);
  if (!json.is_object()) return all;
  for (const auto& [name, value] : json.items()) {
    if (value.is_string()) all[name] = value.get<std::string>();
  }
  return all;
}

}  // namespace whyfail::probes
