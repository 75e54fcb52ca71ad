// The computer that the tests run on, against what other interfaces say of it.
#include <gtest/gtest.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "probes/cgroup.h"
#include "probes/child_process.h"
#include "probes/measure.h"
#include "probes/real_system.h"
#include "probes/sources.h"

namespace whyfail::probes {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::milliseconds patience(60000);

// Drivers of this machine are left alone: these tests are about the rest.
const NvidiaLibraries no_drivers = {{"libwhyfail-not-there.so"}, {"libwhyfail-not-there.so"}, patience, patience};

Machine here(const ProbeRequest& request = {}) { return measured(*real_system(no_drivers), request); }

TEST(ThisMachine, MemoryAgreesWithSysinfo) {
  struct sysinfo info {};
  ASSERT_EQ(sysinfo(&info), 0);
  const Memory memory = here().memory;
  EXPECT_EQ(memory.total_bytes, static_cast<std::uint64_t>(info.totalram) * info.mem_unit);
  ASSERT_TRUE(memory.available_bytes && memory.usable_bytes);
  EXPECT_LE(*memory.usable_bytes, *memory.total_bytes);
  EXPECT_NE(memory.origin.find("/proc/meminfo"), std::string::npos);
}

TEST(ThisMachine, DiskAgreesWithStatfs) {
  ProbeRequest request;
  request.offload_folder = "a folder/that is/not there";
  const Disk disk = here(request).disks.at(0);
  const auto space = fs::space(fs::current_path());
  ASSERT_TRUE(disk.total_bytes && disk.free_bytes);
  EXPECT_EQ(*disk.total_bytes, space.capacity);
  EXPECT_NEAR(static_cast<double>(*disk.free_bytes), static_cast<double>(space.available), 2e9);
  EXPECT_EQ(disk.path, (fs::current_path() / "a folder/that is/not there").string());
}

TEST(ThisMachine, FollowsALinkToItsFileSystem) {
  if (access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "/dev/shm cannot be written";
  const fs::path link = fs::temp_directory_path() / ("whyfail-link-" + std::to_string(getpid()));
  fs::remove(link);
  fs::create_directory_symlink("/dev/shm", link);
  ProbeRequest request;
  request.offload_folder = link / "offload";
  const Disk disk = here(request).disks.at(0);
  fs::remove(link);
  EXPECT_EQ(disk.filesystem, "tmpfs");
  EXPECT_TRUE(disk.memory_backed);
}

TEST(ThisMachine, AnEmptyEnvironmentIsNoTrouble) {
  const ChildAnswer child = ask_child(
      [] {
        clearenv();
        const Machine machine = here();
        return std::to_string(machine.memory.total_bytes.has_value()) + std::to_string(machine.environment.size()) +
               machine.disks.at(1).path;
      },
      patience);
  EXPECT_EQ(child.text, "10~/.cache/huggingface/hub\n");
}

TEST(ThisMachine, ReadsPackagesWhereverItIsTold) {
  const fs::path folder = fs::temp_directory_path() / ("whyfail-site-" + std::to_string(getpid()));
  fs::create_directories(folder / "torch-2.5.1.dist-info");
  std::ofstream(folder / "torch-2.5.1.dist-info" / "METADATA") << "Name: torch\nVersion: 2.5.1+cu124\n\n";
  ProbeRequest request;
  request.site_packages = {folder.string()};
  const Machine machine = here(request);
  fs::remove_all(folder);
  EXPECT_EQ(machine.packages.at("torch"), "2.5.1+cu124");
}

// A control group below the own one; its files appear by themselves if it is one and has a memory controller.
struct OwnGroup {
  fs::path folder;
  fs::path limit_file;

  OwnGroup() {
    const auto system = real_system(no_drivers);
    const auto levels = cgroup_levels(*system, mounts_of(*system), std::nullopt);
    if (levels.empty()) return;
    const std::string name = levels.front().path + "/whyfail-test-" + std::to_string(getpid());
    std::error_code error;
    for (const Mount& mount : mounts_of(*system)) {
      if (!mount.type.starts_with("cgroup") || !fs::exists(mount.point + levels.front().path + "/cgroup.procs"))
        continue;
      folder = mount.point + name;
      if (!fs::create_directory(folder, error)) continue;
      for (const char* file : {"memory.max", "memory.limit_in_bytes"}) {
        if (fs::exists(folder / file)) limit_file = folder / file;
      }
      if (!limit_file.empty()) return;
      fs::remove(folder, error);
    }
  }
  ~OwnGroup() {
    std::error_code error;
    if (!limit_file.empty()) fs::remove(folder, error);
  }
};

TEST(ThisMachine, SeesTheLimitOfItsControlGroup) {
  const OwnGroup group;
  if (group.limit_file.empty()) GTEST_SKIP() << "no control group with a memory limit can be made here";
  std::ofstream(group.limit_file) << "268435456" << std::flush;
  const ChildAnswer child = ask_child(
      [&] {
        std::ofstream(group.folder / "cgroup.procs") << getpid() << std::flush;
        const Memory memory = here().memory;
        return std::to_string(memory.limit_bytes.value_or(0)) + " " + memory.limit_origin;
      },
      patience);
  EXPECT_TRUE(child.text.starts_with("268435456 cgroup /")) << child.text;
  EXPECT_NE(child.text.find(group.folder.filename().string() + " " + group.limit_file.filename().string()),
            std::string::npos)
      << child.text;
}

TEST(ThisMachine, IsDescribedInTheForm) {
  const Machine machine = measure({});
  EXPECT_EQ(machine.os->name, "linux");
  EXPECT_EQ(machine.disks.size(), 2U);
  EXPECT_TRUE(!machine.gpus.empty() || machine.unknown.contains("gpus"));
}

}  // namespace
}  // namespace whyfail::probes
