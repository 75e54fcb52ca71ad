// Names of operating systems.
#include "probes/paste/system_names.h"

#include <cctype>

#include "probes/paste/scanner.h"
#include "probes/paste/stated.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

struct System {
  std::string_view name;
  std::string_view family;
  bool numbered;  // the version belongs to the name: "Debian 12"
};

constexpr System systems[] = {{"Windows Server", "windows", true},
                              {"Windows", "windows", true},
                              {"Ubuntu", "linux", true},
                              {"Linux Mint", "linux", true},
                              {"Debian", "linux", true},
                              {"Fedora", "linux", true},
                              {"Arch Linux", "linux", false},
                              {"CentOS", "linux", true},
                              {"Rocky Linux", "linux", true},
                              {"AlmaLinux", "linux", true},
                              {"Red Hat Enterprise Linux", "linux", true},
                              {"RHEL", "linux", true},
                              {"openSUSE Tumbleweed", "linux", false},
                              {"openSUSE Leap", "linux", true},
                              {"openSUSE", "linux", true},
                              {"Manjaro Linux", "linux", false},
                              {"Manjaro", "linux", false},
                              {"EndeavourOS", "linux", false},
                              {"NixOS", "linux", true},
                              {"Pop!_OS", "linux", true},
                              {"Gentoo", "linux", false},
                              {"Kali Linux", "linux", true},
                              {"macOS", "darwin", true},
                              {"Mac OS X", "darwin", true}};

bool is_letter(char letter) { return std::isalpha(static_cast<unsigned char>(letter)) != 0; }

// One past the version that follows a name at `end`: " 22.04", " 11".
std::size_t version_end(std::string_view line, std::size_t end) {
  std::size_t at = end;
  if (at >= line.size() || line[at] != ' ') return end;
  ++at;
  const std::size_t begin = at;
  while (at < line.size() && (std::isdigit(static_cast<unsigned char>(line[at])) != 0 || line[at] == '.')) ++at;
  while (at > begin && line[at - 1] == '.') --at;
  return at == begin ? end : at;
}

}  // namespace

std::string system_name_in(std::string_view line) {
  for (const System& system : systems) {
    for (std::size_t at = line.find(system.name); at != std::string_view::npos; at = line.find(system.name, at + 1)) {
      const std::size_t end = at + system.name.size();
      if ((at > 0 && is_letter(line[at - 1])) || (end < line.size() && is_letter(line[end]))) continue;
      const std::size_t last = system.numbered ? version_end(line, end) : end;
      return std::string(line.substr(at, last - at));
    }
  }
  return {};
}

std::string system_family(std::string_view printed) {
  const std::string lower = lower_case(printed);
  const auto holds = [&](std::string_view word) { return lower.find(word) != std::string::npos; };
  if (holds("darwin") || holds("macos") || holds("mac os")) return "darwin";
  if (holds("linux") || holds("gnu")) return "linux";
  if (holds("windows")) return "windows";
  for (const System& system : systems) {
    if (holds(lower_case(system.name))) return std::string(system.family);
  }
  return {};
}

}  // namespace whyfail::probes::paste
