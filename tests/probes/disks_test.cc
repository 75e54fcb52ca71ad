// The offload folder and the cache: which folders they are, and what lies under them.
#include "probes/disks.h"

#include <gtest/gtest.h>

#include "recording.h"

namespace whyfail::probes {
namespace {

std::string cache_with(const std::string& environment) {
  Recording recording;
  recording.environment(environment);
  return hub_cache(*recording.system());
}

TEST(HubCache, FollowsTheVariablesOfTheHubLibrary) {
  EXPECT_EQ(cache_with(R"({"HOME": "/root"})"), "/root/.cache/huggingface/hub");
  EXPECT_EQ(cache_with(R"({"HOME": "/root", "XDG_CACHE_HOME": "/x"})"), "/x/huggingface/hub");
  EXPECT_EQ(cache_with(R"({"HF_HOME": "/hf", "XDG_CACHE_HOME": "/x"})"), "/hf/hub");
  EXPECT_EQ(cache_with(R"({"HUGGINGFACE_HUB_CACHE": "/old", "HF_HOME": "/hf"})"), "/old");
  EXPECT_EQ(cache_with(R"({"HF_HUB_CACHE": "/new", "HUGGINGFACE_HUB_CACHE": "/old"})"), "/new");
  EXPECT_EQ(cache_with(R"({"HOME": "/root", "HF_HUB_CACHE": "~/cache"})"), "/root/cache");
  EXPECT_EQ(cache_with(R"({"HF_HUB_CACHE": "sub/cache"})"), "/work/sub/cache");
  EXPECT_EQ(cache_with(R"({"D": "/data", "HF_HOME": "$D/hf"})"), "/data/hf/hub");
  EXPECT_EQ(cache_with(R"({"HF_HOME": "${D}/$"})"), "/work/${D}/$/hub");
}

TEST(Disks, TheVariableOfTransformers4ComesFirst) {
  Recording recording;
  recording.environment(R"({"TRANSFORMERS_CACHE": "/t", "HF_HOME": "/hf"})");
  std::map<std::string, std::string> unknown;
  std::vector<std::string> caches;
  for (const Disk& disk : disks_of(*recording.system(), {}, {}, unknown)) {
    if (disk.purpose == "cache") caches.push_back(disk.path);
  }
  EXPECT_EQ(caches, (std::vector<std::string>{"/t", "/hf/hub"}));
}

TEST(HubCache, IsBelowTheProfileOnWindows) {
  Recording recording;
  recording.part("windows.json", R"({"version": "Windows 11"})").environment(R"({"USERPROFILE": "C:\\Users\\u"})");
  EXPECT_EQ(hub_cache(*recording.system()), "C:\\Users\\u\\.cache\\huggingface\\hub");
}

Disk offload_on(const std::string& mountinfo) {
  return Recording().file("/proc/self/mountinfo", mountinfo).machine().disks.at(0);
}

TEST(Disks, TakeTheLongestMountAboveAndTheLaterOfEquals) {
  EXPECT_EQ(offload_on("1 0 0:1 / / rw - ext4 /dev/sda rw\n2 1 0:2 / /work rw - xfs /dev/sdb rw\n").filesystem, "xfs");
  EXPECT_EQ(offload_on("1 0 0:1 / /wor rw - xfs /dev/sda rw\n2 1 0:2 / / rw - ext4 /dev/sdb rw\n").filesystem, "ext4");
  EXPECT_EQ(offload_on("1 0 0:1 / /work rw - xfs a rw\n2 1 0:2 / /work rw - btrfs b rw\n").filesystem, "btrfs");
}

TEST(Disks, DecodeBlanksInMountPoints) {
  Recording recording;
  recording.file("/proc/self/mountinfo", "1 0 0:1 / /data\\040sets rw shared:1 - xfs /dev/sda rw\n")
      .part("cwd", "/data sets/run");
  EXPECT_EQ(recording.machine().disks.at(0).filesystem, "xfs");
}

TEST(Disks, KnowWhatLiesInMemory) {
  EXPECT_TRUE(offload_on("1 0 0:1 / /work rw - tmpfs tmpfs rw\n").memory_backed);
  EXPECT_TRUE(offload_on("1 0 0:1 / /work rw - ramfs x rw\n").memory_backed);
  EXPECT_TRUE(offload_on("1 0 0:1 / /work rw - ext4 /dev/zram1 rw\n").memory_backed);
  EXPECT_TRUE(offload_on("1 0 0:1 / /up rw - tmpfs t rw\n2 0 0:2 / / rw - overlay o rw,upperdir=/up/d,workdir=/up/w\n")
                  .memory_backed);
  EXPECT_FALSE(offload_on("2 0 0:2 / / rw - overlay o rw,upperdir=/var/d,workdir=/var/w\n").memory_backed);
  EXPECT_FALSE(offload_on("1 0 0:1 / / rw - overlay a rw,upperdir=/b/x\n2 0 0:2 / /b rw - overlay b rw,upperdir=/x\n")
                   .memory_backed);
}

TEST(Disks, KnowNetworks) {
  for (const char* type : {"nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "lustre", "fuse", "fuse.sshfs", "fuse.drive"}) {
    EXPECT_TRUE(offload_on("1 0 0:1 / /work rw - " + std::string(type) + " x rw\n").network) << type;
  }
  for (const char* type : {"ext4", "fuseblk", "fuse.mergerfs", "fuse.ntfs-3g", "fuse.fuse-overlayfs", "fuse.gocryptfs",
                           "fuse.bindfs", "zfs"}) {
    EXPECT_FALSE(offload_on("1 0 0:1 / /work rw - " + std::string(type) + " x rw\n").network) << type;
  }
}

TEST(Disks, GiveWhatThisUserMayStillWrite) {
  Recording recording;
  recording.part("statfs.json", R"({"/": {"type": "ext4", "total_bytes": 9, "avail_bytes": 8},
      "/wor": {"type": "xfs", "total_bytes": 1, "avail_bytes": 1},
      "/work": {"type": "xfs", "total_bytes": 1000, "free_bytes": 900, "avail_bytes": 800, "read_only": true}})");
  const Disk disk = recording.machine().disks.at(0);
  EXPECT_EQ(disk.purpose, "offload");
  EXPECT_EQ(disk.total_bytes, 1000U);
  EXPECT_EQ(disk.free_bytes, 800U);
  EXPECT_TRUE(disk.read_only);
  recording.part("statfs.json", "{}");
  const Machine machine = recording.machine();
  EXPECT_FALSE(machine.disks.at(0).free_bytes);
  EXPECT_NE(machine.unknown.at("disks").find("/work"), std::string::npos);
}

TEST(Disks, UseTheFolderThatTheCallNames) {
  Recording recording;
  ProbeRequest request;
  request.offload_folder = "out/off";
  EXPECT_EQ(measured(*recording.system(), request).disks.at(0).path, "/work/out/off");
  request.offload_folder = "/mnt/x";
  EXPECT_EQ(measured(*recording.system(), request).disks.at(0).path, "/mnt/x");
}

}  // namespace
}  // namespace whyfail::probes
