// Memory: psutil's figures, control groups, swap, overcommit, address space, ZFS, Windows, macOS.
#include <gtest/gtest.h>

#include "recording.h"

namespace whyfail::probes {
namespace {

TEST(Memory, IsWhatPsutilReports) {
  const Machine machine = Recording().usual().machine();
  EXPECT_EQ(machine.memory.total_bytes, 16 * gibibyte);
  EXPECT_EQ(machine.memory.available_bytes, 8 * gibibyte);
  EXPECT_EQ(machine.memory.usable_bytes, 8 * gibibyte);
  EXPECT_EQ(machine.memory.swap_free_bytes, gibibyte);
  EXPECT_FALSE(machine.memory.limit_bytes);
  EXPECT_FALSE(machine.memory.commit_free_bytes);
  EXPECT_FALSE(machine.memory.address_space_limit_bytes);
}

std::uint64_t available(const std::string& meminfo) {
  return Recording().file("/proc/meminfo", meminfo).machine().memory.available_bytes.value_or(0);
}

TEST(Memory, FallsBackAsPsutilDoes) {
  EXPECT_EQ(available("MemTotal: 100 kB\nMemFree: 10 kB\nCached: 20 kB\n"), 30 * 1024U);
  EXPECT_EQ(available("MemTotal: 100 kB\nMemFree: 10 kB\nMemAvailable: 0 kB\nCached: 20 kB\n"), 30 * 1024U);
  EXPECT_EQ(available("MemTotal: 100 kB\nMemFree: 10 kB\nMemAvailable: 101 kB\n"), 10 * 1024U);
}

TEST(Memory, IsUnknownWithoutMeminfo) {
  for (const char* text : {"", "MemFree: 5 kB\n", "MemTotal: 0 kB\n", "MemTotal: -4 kB\n", "\xff\xfe garbage"}) {
    const Machine machine = Recording().file("/proc/meminfo", text).machine();
    EXPECT_FALSE(machine.memory.total_bytes) << text;
    EXPECT_FALSE(machine.memory.available_bytes) << text;
    EXPECT_FALSE(machine.memory.usable_bytes) << text;
    EXPECT_NE(machine.unknown.at("memory").find("meminfo"), std::string::npos);
  }
  Recording recording;
  recording.usual().part("unreadable.json", R"({"/proc/meminfo": "EACCES"})");
  EXPECT_TRUE(recording.machine().unknown.contains("memory"));
}

TEST(Cgroup, CountsEveryLevelFromTheOwnGroupUp) {
  Recording recording;
  recording.usual()
      .file("/sys/fs/cgroup/a/b/memory.max", "max\n")
      .file("/sys/fs/cgroup/a/memory.max", "4294967296\n")
      .file("/sys/fs/cgroup/a/memory.current", "3221225472\n")
      .file("/sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 1073741824\n");
  const Memory memory = recording.machine().memory;
  EXPECT_EQ(memory.limit_bytes, 4 * gibibyte);
  EXPECT_EQ(memory.limit_origin, "cgroup /a memory.max");
  EXPECT_EQ(memory.usable_bytes, 2 * gibibyte);  // the page cache that can be given back is not used up
  EXPECT_EQ(memory.available_bytes, 8 * gibibyte);
}

TEST(Cgroup, TakesTheSmallerOfMaxAndHighAndTheDeepestOfEquals) {
  Recording recording;
  recording.usual()
      .file("/sys/fs/cgroup/a/b/memory.max", "4294967296")
      .file("/sys/fs/cgroup/a/b/memory.high", "3221225472")
      .file("/sys/fs/cgroup/a/memory.max", "3221225472");
  EXPECT_EQ(recording.machine().memory.limit_origin, "cgroup /a/b memory.high");
  recording.file("/sys/fs/cgroup/a/b/memory.max", "3221225472");
  EXPECT_EQ(recording.machine().memory.limit_origin, "cgroup /a/b memory.max");
}

TEST(Cgroup, ALimitThatIsNotBelowTheMachineIsNone) {
  Recording recording;
  recording.usual().file("/sys/fs/cgroup/a/b/memory.max", "17179869184");
  EXPECT_FALSE(recording.machine().memory.limit_bytes);
  recording.file("/proc/meminfo", "MemFree: 1 kB\n");  // nothing to compare with
  EXPECT_EQ(recording.machine().memory.limit_bytes, 16 * gibibyte);
}

TEST(Cgroup, StaysBelowTheMountAndUsesItsRoot) {
  Recording recording;
  recording.usual()
      .file("/proc/self/cgroup", "0::/kubepods/pod1/c\n")
      .file("/proc/self/mountinfo", "25 22 0:28 /kubepods/pod1 /sys/fs/cgroup rw shared:1 - cgroup2 cgroup2 rw\n")
      .file("/sys/fs/cgroup/c/memory.max", "1073741824")
      .file("/sys/fs/cgroup/memory.max", "2147483648");
  EXPECT_EQ(recording.machine().memory.limit_origin, "cgroup /c memory.max");
  recording.file("/proc/self/cgroup", "0::/../elsewhere\n");
  EXPECT_EQ(recording.machine().memory.limit_origin, "cgroup / memory.max");
  recording.file("/proc/self/cgroup", "0::/kubepods/pod11\n");  // not below /kubepods/pod1
  EXPECT_EQ(recording.machine().memory.limit_origin, "cgroup / memory.max");
  recording.part("unreadable.json", R"({"/proc/self/cgroup": "EACCES"})");
  EXPECT_FALSE(recording.machine().memory.limit_bytes);
}

Recording& version1(Recording& recording) {
  return recording.usual()
      .file("/proc/self/cgroup", "9:memory:/docker/x\n0::/docker/x\n")
      .file("/proc/self/mountinfo",
            "25 22 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
            "26 22 0:29 /docker/x /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n")
      .file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712")
      .file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "2147483648")
      .file("/sys/fs/cgroup/memory/memory.stat",
            "hierarchical_memory_limit 4294967296\ntotal_inactive_file 1073741824\n");
}

TEST(Cgroup, ReadsVersionOneWithLimitsOfHiddenParents) {
  Recording recording;
  version1(recording);
  Memory memory = recording.machine().memory;
  EXPECT_EQ(memory.limit_origin, "cgroup / memory.stat");
  EXPECT_EQ(memory.usable_bytes, 3 * gibibyte);
  recording.file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "4294967296");
  EXPECT_EQ(recording.machine().memory.limit_origin, "cgroup / memory.limit_in_bytes");
}

TEST(Memory, SwapIsCappedAndNeverUsable) {
  Recording recording;
  recording.usual()
      .file("/sys/fs/cgroup/a/memory.swap.max", "536870912")
      .file("/sys/fs/cgroup/a/memory.swap.current", "268435456")
      .file("/proc/swaps", "Filename Type Size Used Priority\n/dev/zram0 partition 8 0 100\n");
  EXPECT_EQ(recording.machine().memory.swap_free_bytes, 268435456U);
  EXPECT_EQ(recording.machine().memory.swap_memory_backed, true);
  EXPECT_EQ(recording.machine().memory.usable_bytes, 8 * gibibyte);
  recording.file("/proc/swaps", "Filename Type\n/dev/zram0 partition\n/swap.img file\n");
  EXPECT_EQ(recording.machine().memory.swap_memory_backed, false);
  recording.file("/proc/swaps", "Filename Type\n");
  EXPECT_FALSE(recording.machine().memory.swap_memory_backed);
}

TEST(Memory, OvercommitAndAddressSpaceCapWhatIsUsable) {
  Recording recording;
  recording.usual().file("/proc/sys/vm/overcommit_memory", "2\n");
  EXPECT_EQ(recording.machine().memory.commit_free_bytes, gibibyte);
  EXPECT_EQ(recording.machine().memory.usable_bytes, gibibyte);
  recording.file("/proc/self/limits", "Max address space         536870912    unlimited   bytes\n");
  EXPECT_EQ(recording.machine().memory.address_space_limit_bytes, 536870912U);
  EXPECT_EQ(recording.machine().memory.usable_bytes, 536870912U);
  recording.file("/proc/sys/vm/overcommit_memory", "1\n")
      .file("/proc/self/limits", "Max address space  unlimited unlimited bytes\n");
  EXPECT_EQ(recording.machine().memory.usable_bytes, 8 * gibibyte);
}

TEST(Memory, TheZfsCacheCanBeGivenBack) {
  Recording recording;
  recording.usual().file("/proc/spl/kstat/zfs/arcstats",
                         "13 1 0x01\nname type data\nc_min 4 1073741824\nsize 4 3221225472\n");
  EXPECT_EQ(recording.machine().memory.available_bytes, 8 * gibibyte);
  EXPECT_EQ(recording.machine().memory.usable_bytes, 10 * gibibyte);
  recording.file("/proc/spl/kstat/zfs/arcstats", "c_min 4 0\nsize 4 32212254720\n");
  EXPECT_EQ(recording.machine().memory.usable_bytes, 16 * gibibyte);
}

TEST(Memory, WindowsIsLimitedByItsCommit) {
  Recording recording;
  recording.part("windows.json", R"({"version": "Windows 11", "memory": {"ullTotalPhys": 100, "ullAvailPhys": 80,
                                     "ullTotalPageFile": 120, "ullAvailPageFile": 30}})");
  const Machine machine = recording.machine();
  EXPECT_EQ(machine.memory.available_bytes, 80U);
  EXPECT_EQ(machine.memory.commit_free_bytes, 30U);
  EXPECT_EQ(machine.memory.usable_bytes, 30U);
  EXPECT_FALSE(machine.memory.swap_free_bytes);
  EXPECT_EQ(machine.os->name, "windows");
}

TEST(Apple, MetalSaysWhatAProgramMayUse) {
  Recording recording;
  recording.part("darwin.json", R"({"version": "macOS 14.5", "hw.memsize": 68719476736,
      "vm_stat": {"page_size": 16384, "free": 1048576, "inactive": 2097152},
      "metal": {"name": "Apple M2 Max", "recommendedMaxWorkingSetSize": 42949672960, "hasUnifiedMemory": true}})");
  const Machine machine = recording.machine();
  ASSERT_EQ(machine.gpus.size(), 1U);
  EXPECT_TRUE(machine.gpus[0].mps);
  EXPECT_EQ(machine.gpus[0].total_bytes, 40 * gibibyte);  // not the machine's 64 GiB
  EXPECT_EQ(machine.gpus[0].free_bytes, 40 * gibibyte);
}

TEST(Memory, MacosCountsFreeAndInactivePages) {
  Recording recording;
  recording.part("darwin.json", R"({"version": "macOS 14.5", "hw.memsize": 1000000, "vm_stat": {"page_size": 4096,
      "free": 10, "inactive": 20, "speculative": 7}, "swap": {"total": 50, "used": 20},
      "metal": {"name": "Apple M2", "recommendedMaxWorkingSetSize": 100000, "hasUnifiedMemory": true}})");
  const Machine machine = recording.machine();
  EXPECT_EQ(machine.memory.available_bytes, 30 * 4096U);
  EXPECT_EQ(machine.memory.swap_free_bytes, 30U);
  ASSERT_EQ(machine.gpus.size(), 1U);
  EXPECT_TRUE(machine.gpus[0].mps);
  EXPECT_EQ(machine.gpus[0].total_bytes, 100000U);
  EXPECT_EQ(machine.gpus[0].free_bytes, 100000U);  // less than what is available
  EXPECT_FALSE(machine.unknown.contains("gpus"));
}

}  // namespace
}  // namespace whyfail::probes
