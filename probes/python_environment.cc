// Finds the Python installation and reads it.
#include "probes/python_environment.h"

#include <algorithm>
#include <utility>

#include "probes/installed_packages.h"
#include "probes/package_name.h"
#include "probes/paths.h"
#include "probes/text_lines.h"

namespace whyfail::probes {
namespace {

struct PackageFolder {
  std::string path;
  std::string prefix;  // the environment that it belongs to; empty: the system's
};

// X.Y of a folder's name "python3.11" or "python3.13t" (free threading); empty for anything else ("python3").
std::string version_of_folder(std::string_view name) {
  constexpr std::string_view beginning = "python3.";
  if (!name.starts_with(beginning)) return {};
  const std::string_view rest = name.substr(beginning.size());
  const std::string_view minor = rest.substr(0, rest.find_first_not_of("0123456789"));
  if (minor.empty() || minor.size() > 3) return {};
  return "3." + std::string(minor);
}

// Folders python3.* below lib, oldest version first.
std::vector<std::string> versioned_folders(const System& system, const std::string& lib) {
  std::vector<std::pair<int, std::string>> found;
  for (const std::string& name : system.list(lib)) {
    const std::string version = version_of_folder(name);
    if (!version.empty()) found.emplace_back(std::stoi(version.substr(2)), joined(lib, name, system.kind()));
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> folders;
  for (auto& entry : found) folders.push_back(std::move(entry.second));
  return folders;
}

// Place of the environment's programs in PATH; the end if they are not in it.
std::size_t place_in_path(const System& system, const std::string& prefix) {
  const SystemKind kind = system.kind();
  const auto path = system.variable("PATH");
  if (!path) return std::string::npos;
  const auto entries = split_at(*path, kind == SystemKind::windows ? ';' : ':');
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].empty()) continue;
    const bool own = kind == SystemKind::windows ? same_path(entries[i], prefix, kind) ||
                                                       same_path(entries[i], joined(prefix, "Scripts", kind), kind) ||
                                                       same_path(entries[i], joined(prefix, "bin", kind), kind)
                                                 : same_path(entries[i], prefix + "/bin", kind);
    if (own) return i;
  }
  return std::string::npos;
}

std::optional<std::string> active_prefix(const System& system) {
  const auto venv = system.variable("VIRTUAL_ENV");
  const auto conda = system.variable("CONDA_PREFIX");
  if (!venv || !conda) return venv ? venv : conda;
  return place_in_path(system, *conda) < place_in_path(system, *venv) ? conda : venv;
}

std::vector<PackageFolder> folders_of_prefix(const System& system, const std::string& prefix) {
  const SystemKind kind = system.kind();
  std::vector<PackageFolder> folders;
  if (kind == SystemKind::windows) {
    const std::string folder = joined(joined(prefix, "Lib", kind), "site-packages", kind);
    if (system.is_folder(folder)) folders.push_back({folder, prefix});
    return folders;
  }
  for (const std::string& python : versioned_folders(system, joined(prefix, "lib", kind))) {
    if (system.is_folder(python + "/site-packages")) folders.push_back({python + "/site-packages", prefix});
  }
  return folders;
}

std::vector<PackageFolder> folders_of_system(const System& system) {
  std::vector<PackageFolder> folders;
  const auto add_all = [&](const std::string& lib, const char* name) {
    for (const std::string& python : versioned_folders(system, lib)) {
      if (system.is_folder(python + "/" + name)) folders.push_back({python + "/" + name, {}});
    }
  };
  if (const auto home = system.variable("HOME")) add_all(joined(*home, ".local/lib", system.kind()), "site-packages");
  add_all("/usr/local/lib", "dist-packages");
  add_all("/usr/local/lib", "site-packages");
  if (system.is_folder("/usr/lib/python3/dist-packages")) folders.push_back({"/usr/lib/python3/dist-packages", {}});
  return folders;
}

std::string version_from_pyvenv(const System& system, const std::string& prefix) {
  const auto text = system.read(joined(prefix, "pyvenv.cfg", system.kind()));
  if (!text) return {};
  std::string version;
  for (std::string_view line : lines_of(*text)) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string key = lower_case(trimmed(line.substr(0, equals)));
    const std::string value(trimmed(line.substr(equals + 1)));
    if (key == "version") return value;
    if (key == "version_info") version = value;
  }
  // virtualenv writes sys.version_info whole: 3.10.12.final.0.
  const auto parts = split_at(version, '.');
  if (parts.size() == 5 && number_of(parts[4]) && !number_of(parts[3])) {
    version.resize(parts[0].size() + parts[1].size() + parts[2].size() + 2);
  }
  return version;
}

// conda-meta/python-VERSION-BUILD.json; python-dateutil-… and python_abi-… are other packages.
std::string version_from_conda(const System& system, const std::string& prefix) {
  constexpr std::string_view beginning = "python-";
  constexpr std::string_view end = ".json";
  for (const std::string& name : system.list(joined(prefix, "conda-meta", system.kind()))) {
    if (!name.starts_with(beginning) || !name.ends_with(end)) continue;
    const auto parts = split_at(std::string_view(name).substr(beginning.size()), '-');
    if (parts.size() == 2 && looks_like_version(parts[0])) return std::string(parts[0]);
  }
  return {};
}

std::string version_from_folders(const System& system, const std::vector<PackageFolder>& folders, std::size_t chosen) {
  const SystemKind kind = system.kind();
  std::vector<std::size_t> order = {chosen};
  for (std::size_t i = 0; i < folders.size(); ++i) order.push_back(i);
  for (std::size_t i : order) {
    if (i >= folders.size()) continue;
    const std::string version = version_of_folder(name_of(parent_of(folders[i].path, kind), kind));
    if (!version.empty()) return version;
  }
  const auto own = versioned_folders(system, "/usr/lib");
  return own.empty() ? std::string() : version_of_folder(name_of(own.front(), kind));
}

void set_python(const System& system, const std::vector<PackageFolder>& folders, std::size_t chosen, Machine& machine) {
  if (folders.empty()) return;
  const std::string& prefix = folders[std::min(chosen, folders.size() - 1)].prefix;
  if (!prefix.empty()) {
    machine.python = version_from_pyvenv(system, prefix);
    machine.python_origin = prefix + ": pyvenv.cfg";
    if (machine.python.empty()) {
      machine.python = version_from_conda(system, prefix);
      machine.python_origin = prefix + ": conda-meta";
    }
  }
  if (machine.python.empty()) {
    machine.python = version_from_folders(system, folders, chosen);
    machine.python_origin = "named by its folder; no pyvenv.cfg tells more";
  }
  if (machine.python.empty()) machine.python_origin.clear();
}

void take(InstalledPackages found, Machine& machine, std::set<std::string>& unclear) {
  for (const std::string& name : found.unclear) {
    if (!machine.packages.contains(name)) unclear.insert(name);
  }
  for (auto& [name, version] : found.versions) {
    if (!unclear.contains(name)) machine.packages.emplace(name, std::move(version));
  }
}

std::string prefix_above(const System& system, const std::string& folder) {
  const SystemKind kind = system.kind();
  const int levels = kind == SystemKind::windows ? 2 : 3;  // Lib\site-packages, lib/python3.Y/site-packages
  std::string prefix = folder;
  for (int i = 0; i < levels; ++i) prefix = parent_of(prefix, kind);
  return prefix;
}

std::vector<PackageFolder> named_folders(const System& system, const ProbeRequest& request) {
  std::vector<PackageFolder> folders;
  for (const std::string& folder : request.site_packages) {
    if (system.is_folder(folder)) folders.push_back({folder, prefix_above(system, folder)});
  }
  return folders;
}

}  // namespace

void read_python(const System& system, const ProbeRequest& request, Machine& machine) {
  std::vector<PackageFolder> folders = named_folders(system, request);
  bool first_wins = !folders.empty();
  if (folders.empty()) {
    const auto prefix = active_prefix(system);
    first_wins = !prefix;
    folders = prefix ? folders_of_prefix(system, *prefix) : folders_of_system(system);
  }
  std::set<std::string> unclear;
  std::size_t chosen = folders.size();
  for (std::size_t i = 0; i < folders.size(); ++i) {
    take(packages_in(system, folders[i].path), machine, unclear);
    if (machine.packages.empty() && unclear.empty()) continue;
    if (chosen == folders.size()) chosen = i;
    if (first_wins) break;
  }
  if (chosen < folders.size()) machine.packages_origin = system.origin() + ": " + folders[chosen].path;
  set_python(system, folders, chosen, machine);
  std::string& reason = machine.unknown["packages"];
  if (folders.empty())
    reason = "no Python installation found (VIRTUAL_ENV, CONDA_PREFIX, the user's and system folders)";
  for (const std::string& name : unclear) {
    reason += (reason.empty() ? "version not clear: " : ", ") + name;
  }
  if (reason.empty()) machine.unknown.erase("packages");
}

}  // namespace whyfail::probes
