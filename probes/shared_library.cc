// dlopen.
#include "probes/shared_library.h"

#include <dlfcn.h>

namespace whyfail::probes {

SharedLibrary::SharedLibrary(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
    const char* reason = dlerror();
    const std::string text = reason == nullptr ? "" : reason;
    // The loader names another file when a library that this one needs is missing.
    const bool absent = text.find("No such file") != std::string::npos && text.starts_with(name);
    if (!absent && problem_.empty()) problem_ = text;
  }
}

// A driver is never closed: its threads may still run, and this process ends at once.
SharedLibrary::~SharedLibrary() = default;

void* SharedLibrary::address(const char* name) const { return handle_ == nullptr ? nullptr : dlsym(handle_, name); }

}  // namespace whyfail::probes
