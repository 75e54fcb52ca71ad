// Name and version of the system, WSL, container.
#include "probes/operating_system.h"

#include "probes/text_lines.h"

namespace whyfail::probes {
namespace {

std::string unquoted(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front()) {
    text = text.substr(1, text.size() - 2);
  }
  return std::string(text);
}

// PRETTY_NAME of os-release(5).
std::string release_name(const System& system) {
  const auto text = system.read("/etc/os-release");
  if (!text) return {};
  constexpr std::string_view key = "PRETTY_NAME=";
  for (std::string_view line : lines_of(*text)) {
    if (line.starts_with(key)) return unquoted(line.substr(key.size()));
  }
  return {};
}

bool in_own_cgroup_path(const System& system, std::initializer_list<std::string_view> fragments) {
  const auto text = system.read("/proc/self/cgroup");
  if (!text) return false;
  for (std::string_view line : lines_of(*text)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view path = line.substr(second + 1);
    for (std::string_view fragment : fragments) {
      if (path.find(fragment) != std::string_view::npos) return true;
    }
  }
  return false;
}

std::optional<std::string> container_of(const System& system) {
  const auto variables = system.environment();
  if (variables.contains("KUBERNETES_SERVICE_HOST") || in_own_cgroup_path(system, {"kubepods"})) return "kubernetes";
  if (system.exists("/run/.containerenv")) return "podman";
  if (system.exists("/.dockerenv") || in_own_cgroup_path(system, {"/docker/", "/docker-"})) return "docker";
  if (variables.contains("APPTAINER_CONTAINER") || variables.contains("SINGULARITY_CONTAINER")) return "apptainer";
  return system.variable("container");
}

}  // namespace

OperatingSystem operating_system(const System& system) {
  OperatingSystem answer;
  answer.origin = system.origin();
  if (const auto windows = system.windows()) {
    answer.name = "windows";
    answer.version = windows->version;
  } else if (const auto darwin = system.darwin()) {
    answer.name = "darwin";
    answer.version = darwin->version;
  } else {
    answer.name = "linux";
    answer.version = release_name(system);
    answer.origin += ": /etc/os-release";
    const auto kernel = system.read("/proc/version");
    answer.wsl = kernel && lower_case(*kernel).find("microsoft") != std::string::npos;
    answer.container = container_of(system);
  }
  return answer;
}

}  // namespace whyfail::probes
