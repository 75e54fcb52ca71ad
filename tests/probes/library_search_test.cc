// Libraries that are there, beside those that are not; the loader itself is the judge.
#include "probes/library_search.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace whyfail::probes {
namespace {

TEST(LibrarySearch, AgreesWithTheLoader) {
  for (const char* name : {"libc.so.6", "libsqlite3.so.0", "libm.so.6", "libno-such-driver.so.1"}) {
    void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      EXPECT_TRUE(!may_be_found({name}) || !std::filesystem::exists("/etc/ld.so.cache")) << name;
      continue;
    }
    EXPECT_TRUE(may_be_found({name})) << name;
    dlclose(handle);
  }
}

TEST(LibrarySearch, LooksInTheFoldersOfTheEnvironmentAndAtPaths) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "library_search";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "libonly-here.so.1") << "x";
  if (!std::filesystem::exists("/etc/ld.so.cache")) GTEST_SKIP() << "another loader than glibc's: nothing is ruled out";
  EXPECT_FALSE(may_be_found({"libonly-here.so.1"}));
  EXPECT_TRUE(may_be_found({"libnot-there.so.1", (folder / "libonly-here.so.1").string()}));
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("LD_LIBRARY_PATH", ("/no/such:" + folder.string()).c_str(), 1);
  EXPECT_TRUE(may_be_found({"libonly-here.so.1"}));
  before == nullptr ? ::unsetenv("LD_LIBRARY_PATH") : ::setenv("LD_LIBRARY_PATH", kept.c_str(), 1);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace whyfail::probes
