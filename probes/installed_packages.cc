// Reads dist-info, egg-info and egg-link entries.
#include "probes/installed_packages.h"

#include <algorithm>
#include <cctype>

#include "probes/package_name.h"
#include "probes/paths.h"
#include "probes/text_lines.h"

namespace whyfail::probes {
namespace {

struct Named {
  std::string name;
  std::string version;  // empty: not told
};

constexpr std::string_view dist_info = ".dist-info";
constexpr std::string_view egg_info = ".egg-info";
constexpr std::string_view egg_link = ".egg-link";

// "torch-2.3.1+cu121", "transformers-4.30.2-py3.10", "foo-bar-1.0", "accelerate".
Named from_folder_name(std::string_view stem) {
  for (std::size_t at = stem.find("-py"); at != std::string_view::npos; at = stem.find("-py", at + 1)) {
    if (at + 3 < stem.size() && std::isdigit(static_cast<unsigned char>(stem[at + 3])) != 0) {
      stem = stem.substr(0, at);
      break;
    }
  }
  const std::size_t dash = stem.rfind('-');
  if (dash == std::string_view::npos || !looks_like_version(stem.substr(dash + 1))) return {std::string(stem), {}};
  return {std::string(stem.substr(0, dash)), std::string(stem.substr(dash + 1))};
}

// Name and Version of the headers, which end at the first empty line.
Named from_headers(std::string_view text) {
  Named found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line == "\r") break;
    if (line.front() == ' ' || line.front() == '\t') continue;  // goes on with the header before it
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string key = lower_case(line.substr(0, colon));
    const std::string value(trimmed(line.substr(colon + 1)));
    if (key == "name" && found.name.empty()) found.name = value;
    if (key == "version" && found.version.empty()) found.version = value;
  }
  return found;
}

// The folder's name tells both (PyPA, recording installed projects). Environments hold hundreds of packages, and
// opening a file for each takes longer than the whole answer: the metadata itself is read where the version counts.
bool folder_tells_enough(const Named& folder) {
  const auto& counting = loading_packages();
  return !folder.version.empty() &&
         std::find(counting.begin(), counting.end(), normalised_package(folder.name)) == counting.end();
}

Named completed(const System& system, const std::string& metadata, std::string_view stem) {
  const auto text = system.read(metadata);
  const Named headers = text ? from_headers(*text) : Named{};
  if (!headers.version.empty() && !headers.name.empty()) return headers;
  Named folder = from_folder_name(stem);
  if (!headers.name.empty()) folder.name = headers.name;
  if (!headers.version.empty()) folder.version = headers.version;
  return folder;
}

// setuptools "develop": the first line is the folder that holds NAME.egg-info.
Named from_egg_link(const System& system, const std::string& file, std::string_view stem) {
  const auto text = system.read(file);
  const auto lines = text ? lines_of(*text) : std::vector<std::string_view>{};
  Named answer{std::string(stem), {}};
  if (lines.empty()) return answer;
  const std::string folder(trimmed(lines[0]));
  for (const std::string& entry : system.list(folder)) {
    if (!entry.ends_with(egg_info)) continue;
    const std::string_view name = std::string_view(entry).substr(0, entry.size() - egg_info.size());
    if (normalised_package(name) != normalised_package(stem)) continue;
    const auto headers = system.read(joined(joined(folder, entry, system.kind()), "PKG-INFO", system.kind()));
    if (headers) answer.version = from_headers(*headers).version;
  }
  return answer;
}

std::optional<Named> named(const System& system, std::string_view folder, std::string_view entry) {
  const SystemKind kind = system.kind();
  const std::string path = joined(folder, entry, kind);
  const auto stem = [&](std::string_view suffix) { return entry.substr(0, entry.size() - suffix.size()); };
  if (entry.ends_with(dist_info) && system.is_folder(path)) {
    const Named told = from_folder_name(stem(dist_info));
    if (folder_tells_enough(told)) return told;
    return completed(system, joined(path, "METADATA", kind), stem(dist_info));
  }
  if (entry.ends_with(egg_info)) {
    const Named told = from_folder_name(stem(egg_info));
    if (folder_tells_enough(told)) return told;
    const std::string metadata = system.is_folder(path) ? joined(path, "PKG-INFO", kind) : path;
    return completed(system, metadata, stem(egg_info));
  }
  if (entry.ends_with(egg_link)) return from_egg_link(system, path, stem(egg_link));
  return std::nullopt;
}

}  // namespace

InstalledPackages packages_in(const System& system, std::string_view folder) {
  InstalledPackages found;
  for (const std::string& entry : system.list(folder)) {
    if (entry.starts_with('~')) continue;  // remains of an interrupted pip
    const auto package = named(system, folder, entry);
    if (!package || package->name.empty()) continue;
    const std::string name = normalised_package(package->name);
    const auto known = found.versions.find(name);
    if (package->version.empty() || (known != found.versions.end() && known->second != package->version)) {
      found.unclear.insert(name);
    } else {
      found.versions.emplace(name, package->version);
    }
  }
  for (const std::string& name : found.unclear) found.versions.erase(name);
  return found;
}

}  // namespace whyfail::probes
