// A recorded machine made in code: a folder under the test's temporary folder, gone when the test ends.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "probes/measure.h"
#include "probes/recorded_system.h"

namespace whyfail::probes {

class Recording {
 public:
  Recording() {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("whyfail-recording-" + std::to_string(getpid()) + "-" + std::to_string(++count));
    part("environment.json", R"({"HOME": "/root"})");
    part("statfs.json", R"({"/": {"type": "ext4", "total_bytes": 1000, "free_bytes": 900, "avail_bytes": 800}})");
    part("cwd", "/work\n");
  }
  ~Recording() { std::filesystem::remove_all(folder_); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // A file of the recording itself: "nvidia.json", "cwd".
  Recording& part(const std::string& name, const std::string& text) {
    const std::filesystem::path file = folder_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return *this;
  }
  // A file of the recorded machine: "/proc/meminfo".
  Recording& file(const std::string& path, const std::string& text) { return part("root" + path, text); }
  Recording& environment(const std::string& json) { return part("environment.json", json); }

  // 16 GiB of memory, of which 8 are available, and a control group of version 2 at /a/b.
  Recording& usual() {
    file("/proc/meminfo",
         "MemTotal: 16777216 kB\nMemFree: 4194304 kB\nMemAvailable: 8388608 kB\nCached: 2097152 kB\n"
         "SwapFree: 1048576 kB\nCommitLimit: 4194304 kB\nCommitted_AS: 3145728 kB\n");
    file("/proc/self/cgroup", "0::/a/b\n");
    file("/proc/self/mountinfo",
         "22 1 0:25 / / rw - ext4 /dev/sda rw\n25 22 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    return *this;
  }

  const std::filesystem::path& folder() const { return folder_; }
  std::unique_ptr<System> system() const { return recorded_system(folder_); }
  Machine machine() const { return measured(*system(), {}); }

 private:
  std::filesystem::path folder_;
};

inline constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30U;

}  // namespace whyfail::probes
