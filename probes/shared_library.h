// A library that is opened at run time, because it may not be there.
#pragma once

#include <string>
#include <vector>

namespace whyfail::probes {

class SharedLibrary {
 public:
  // The first of `names` that can be opened.
  explicit SharedLibrary(const std::vector<std::string>& names);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  bool opened() const { return handle_ != nullptr; }
  // What the loader says of a library that is there but cannot be opened; empty if there is none.
  const std::string& problem() const { return problem_; }

  // Null if the library has no such function.
  template <typename Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(address(name));
  }

 private:
  void* address(const char* name) const;

  void* handle_ = nullptr;
  std::string problem_;
};

}  // namespace whyfail::probes
