// Looks where ld.so(8) says that the loader looks.
#include "probes/library_search.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace whyfail::probes {
namespace {

bool is_there(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

bool in_folders(std::string_view folders, const std::string& name) {
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find_first_of(":;"), folders.size());
    const std::string folder(folders.substr(0, end));
    if (is_there((folder.empty() ? "." : folder) + "/" + name)) return true;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return false;
}

std::string loader_cache() {
  std::ifstream stream("/etc/ld.so.cache", std::ios::binary);
  stream.seekg(0, std::ios::end);
  std::string text(stream ? static_cast<std::size_t>(stream.tellg()) : 0, '\0');
  stream.seekg(0);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

}  // namespace

bool may_be_found(const std::vector<std::string>& names) {
  const std::string cache = loader_cache();
  if (cache.empty()) return true;  // another loader, with rules of its own
  const char* own_folders = std::getenv("LD_LIBRARY_PATH");
  for (const std::string& name : names) {
    if (name.find('/') != std::string::npos) {
      if (is_there(name)) return true;
      continue;
    }
    // Folders below the named ones (glibc-hwcaps) hold only copies of what is beside them.
    if (cache.find(name) != std::string::npos || (own_folders != nullptr && in_folders(own_folders, name)) ||
        in_folders("/lib:/usr/lib:/lib64:/usr/lib64:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
                   "/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu",
                   name))
      return true;
  }
  return false;
}

}  // namespace whyfail::probes
