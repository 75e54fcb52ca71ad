// The offload folder and the cache.
#include "probes/disks.h"

#include <cctype>

#include "probes/paths.h"

namespace whyfail::probes {
namespace {

std::optional<std::string> home_folder(const System& system) {
  return system.variable(system.kind() == SystemKind::windows ? "USERPROFILE" : "HOME");
}

std::string with_home(const System& system, const std::string& path) {
  const bool alone = path == "~" || path.starts_with("~/") || path.starts_with("~\\");
  const auto home = alone ? home_folder(system) : std::nullopt;
  if (!home) return path;
  return path.size() <= 2 ? *home : joined(*home, path.substr(2), system.kind());
}

// $NAME and ${NAME} as os.path.expandvars does: what is not set stays as it is.
std::string with_variables(const System& system, const std::string& path) {
  std::string answer;
  const auto variables = system.environment();
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool braced = path[i] == '$' && i + 1 < path.size() && path[i + 1] == '{';
    std::size_t end = i + (braced ? 2 : 1);
    const std::size_t begin = end;
    while (end < path.size() && (std::isalnum(static_cast<unsigned char>(path[end])) != 0 || path[end] == '_')) ++end;
    const auto found = variables.find(path.substr(begin, end - begin));
    if (path[i] != '$' || found == variables.end() || (braced && (end == path.size() || path[end] != '}'))) {
      answer += path[i];
      continue;
    }
    answer += found->second;
    i = braced ? end : end - 1;
  }
  return answer;
}

std::string full_path(const System& system, const std::string& path) {
  std::string expanded = with_variables(system, with_home(system, path));
  if (expanded.starts_with("~")) return expanded;
  return joined(system.working_folder(), expanded, system.kind());
}

void note(std::map<std::string, std::string>& unknown, const std::string& reason) {
  std::string& entry = unknown["disks"];
  if (entry.find(reason) != std::string::npos) return;
  entry += (entry.empty() ? "" : "; ") + reason;
}

Disk disk_at(const System& system, const std::vector<Mount>& mounts, const std::string& purpose,
             const std::string& path, std::map<std::string, std::string>& unknown) {
  Disk disk;
  disk.purpose = purpose;
  disk.path = path;
  disk.origin = system.origin() + ": statfs";
  const auto figures = path.starts_with("~") ? std::nullopt : system.file_system(path);
  if (figures) {
    disk.filesystem = figures->type;
    if (figures->total && *figures->total >= 0) disk.total_bytes = static_cast<std::uint64_t>(*figures->total);
    if (figures->available && *figures->available >= 0) {
      disk.free_bytes = static_cast<std::uint64_t>(*figures->available);
    }
    disk.read_only = figures->read_only;
  } else {
    note(unknown, "statfs gives no figures for " + path);
  }
  const bool has_mounts = system.kind() == SystemKind::linux_kernel && !path.starts_with("~");
  const Mount* mount = has_mounts ? mount_above(mounts, system.resolved(path)) : nullptr;
  if (mount != nullptr) {
    disk.filesystem = mount->type;
    disk.memory_backed = is_memory_backed(*mount, mounts);
    disk.origin += ", /proc/self/mountinfo";
  }
  disk.network = is_network(disk.filesystem);
  return disk;
}

}  // namespace

std::string hub_cache(const System& system) {
  const SystemKind kind = system.kind();
  if (const auto cache = system.variable("HF_HUB_CACHE")) return full_path(system, *cache);
  if (const auto cache = system.variable("HUGGINGFACE_HUB_CACHE")) return full_path(system, *cache);
  if (const auto home = system.variable("HF_HOME")) return full_path(system, joined(*home, "hub", kind));
  const std::string separator = kind == SystemKind::windows ? "\\" : "/";
  const std::string below = "huggingface" + separator + "hub";
  if (const auto cache = system.variable("XDG_CACHE_HOME")) return full_path(system, joined(*cache, below, kind));
  return full_path(system, "~" + separator + ".cache" + separator + below);
}

// transformers 4 (utils/hub.py, 4.30.2 to 4.57.6) puts variables of its own before the hub library's; 5.0.0 does not
// read them. What lies there under the same id is the same model.
std::vector<std::string> caches(const System& system) {
  std::vector<std::string> folders;
  for (const char* const name : {"TRANSFORMERS_CACHE", "PYTORCH_TRANSFORMERS_CACHE", "PYTORCH_PRETRAINED_BERT_CACHE"}) {
    if (!folders.empty()) break;
    if (const auto cache = system.variable(name)) folders.push_back(full_path(system, *cache));
  }
  const std::string hub = hub_cache(system);
  if (folders.empty() || folders.front() != hub) folders.push_back(hub);
  return folders;
}

std::vector<Disk> disks_of(const System& system, const std::vector<Mount>& mounts, const ProbeRequest& request,
                           std::map<std::string, std::string>& unknown) {
  std::vector<Disk> disks;
  const std::string offload =
      request.offload_folder ? full_path(system, request.offload_folder->string()) : system.working_folder();
  disks.push_back(disk_at(system, mounts, "offload", offload, unknown));
  for (const std::string& cache : caches(system)) disks.push_back(disk_at(system, mounts, "cache", cache, unknown));
  return disks;
}

}  // namespace whyfail::probes
