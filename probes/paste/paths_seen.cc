// Operating system and Python version from the files of frames.
#include "probes/paste/paths_seen.h"

#include <cctype>

#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

std::string family_of(std::string_view path) {
  const bool drive = path.size() > 2 && std::isalpha(static_cast<unsigned char>(path[0])) != 0 && path[1] == ':' &&
                     (path[2] == '\\' || path[2] == '/');
  if (drive || path.starts_with("\\\\")) return "windows";
  for (std::string_view begin : {"/Users/", "/opt/homebrew/", "/Library/", "/private/", "/System/"}) {
    if (path.starts_with(begin)) return "darwin";
  }
  for (std::string_view begin : {"/home/", "/root/", "/usr/lib/", "/usr/local/lib/python", "/content/", "/kaggle/",
                                 "/mnt/", "/opt/conda/", "/workspace/"}) {
    if (path.starts_with(begin)) return "linux";
  }
  return {};
}

// "…/python3.11/site-packages/…" → "3.11"; "…\Python311\Lib\…" → "3.11".
std::string python_of(std::string_view path) {
  for (std::string_view mark : {"/python3.", "\\Python3", "/Python3"}) {
    const std::size_t at = path.find(mark);
    if (at == std::string_view::npos) continue;
    std::size_t end = at + mark.size();
    while (end < path.size() && is_digit(path[end])) ++end;
    const std::string_view minor = path.substr(at + mark.size(), end - at - mark.size());
    const bool ends = end < path.size() && (path[end] == '/' || path[end] == '\\');
    if (!minor.empty() && minor.size() <= 2 && ends) return "3." + std::string(minor);
  }
  return {};
}

}  // namespace

PathsSeen paths_seen(const matchers::Reading& reading) {
  PathsSeen seen;
  bool mixed = false;
  for (const matchers::Chain& chain : reading.chains) {
    for (const matchers::Raised& raised : chain.raised) {
      for (const matchers::Frame& frame : raised.frames) {
        const std::string family = family_of(frame.file);
        mixed = mixed || (!family.empty() && !seen.family.empty() && family != seen.family);
        if (seen.family.empty()) seen.family = family;
        seen.wsl = seen.wsl || frame.file.starts_with("/mnt/c/");
        if (const std::string python = python_of(frame.file); !python.empty()) seen.python = python;
      }
    }
  }
  if (mixed) seen.family.clear();
  return seen;
}

}  // namespace whyfail::probes::paste
