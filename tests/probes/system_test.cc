// System, WSL, container; and that a recording shows nothing but itself.
#include <gtest/gtest.h>

#include <cstdlib>

#include "recording.h"

namespace whyfail::probes {
namespace {

TEST(OperatingSystem, IsNamedAsTheReleaseFileSays) {
  Recording recording;
  recording.file("/etc/os-release", "NAME=x\nPRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\n");
  EXPECT_EQ(recording.machine().os->version, "Ubuntu 24.04.1 LTS");
  recording.file("/etc/os-release", "PRETTY_NAME='Debian 12'");
  EXPECT_EQ(recording.machine().os->version, "Debian 12");
  EXPECT_FALSE(recording.machine().os->wsl);
  recording.file("/proc/version", "Linux version 5.15.153.1-Microsoft-standard-WSL2");
  EXPECT_TRUE(recording.machine().os->wsl);
}

std::optional<std::string> container(const std::string& environment, const std::string& cgroup,
                                     const std::string& file) {
  Recording recording;
  recording.environment(environment).file("/proc/self/cgroup", cgroup);
  if (!file.empty()) recording.file(file, "");
  return recording.machine().os->container;
}

TEST(Container, FirstSignThatApplies) {
  EXPECT_EQ(container("{}", "0::/", ""), std::nullopt);
  EXPECT_EQ(container(R"({"KUBERNETES_SERVICE_HOST": "10.0.0.1"})", "0::/", "/.dockerenv"), "kubernetes");
  EXPECT_EQ(container("{}", "0::/kubepods.slice/x", ""), "kubernetes");
  EXPECT_EQ(container(R"({"container": "podman"})", "0::/", "/run/.containerenv"), "podman");
  EXPECT_EQ(container("{}", "0::/", "/.dockerenv"), "docker");
  EXPECT_EQ(container("{}", "5:cpu:/docker/4f1c", ""), "docker");
  EXPECT_EQ(container("{}", "0::/system.slice/docker-4f.scope", ""), "docker");
  EXPECT_EQ(container("{}", "0::/system.slice/docker.service", ""), std::nullopt);
  EXPECT_EQ(container(R"({"SINGULARITY_CONTAINER": "/x.sif"})", "0::/", ""), "apptainer");
  EXPECT_EQ(container(R"({"container": "lxc"})", "0::/", ""), "lxc");
}

TEST(Container, AnUnreadableFileIsThere) {
  Recording recording;
  recording.part("unreadable.json", R"({"/.dockerenv": "EACCES"})");
  EXPECT_EQ(recording.machine().os->container, "docker");
}

TEST(Environment, TellsWhatMattersAndNoSecrets) {
  Recording recording;
  recording.environment(R"({"CUDA_VISIBLE_DEVICES": "1, 0", "HF_TOKEN": "hf_x", "HF_HOME": "/h", "PATH": "/bin",
                            "CUDA_DEVICE_MEMORY_LIMIT_0": "4g"})");
  const std::map<std::string, std::string> expected = {
      {"CUDA_DEVICE_MEMORY_LIMIT_0", "4g"}, {"CUDA_VISIBLE_DEVICES", "1, 0"}, {"HF_HOME", "/h"}};
  EXPECT_EQ(recording.machine().environment, expected);
}

TEST(Recording, ShowsNothingOfTheComputerThatReadsIt) {
  setenv("CUDA_VISIBLE_DEVICES", "97", 1);
  Recording recording;
  std::filesystem::create_directories(recording.folder() / "root");
  std::filesystem::create_symlink("/proc", recording.folder() / "root" / "proc");
  std::filesystem::create_symlink("/etc/os-release", recording.folder() / "root" / "etc");
  const Machine machine = recording.machine();
  unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_TRUE(machine.environment.empty());
  EXPECT_FALSE(machine.memory.total_bytes);
  EXPECT_EQ(machine.os->version, "");
  EXPECT_TRUE(machine.gpus.empty());
  EXPECT_FALSE(recording.system()->read("/../../../../../../etc/passwd"));
}

TEST(Recording, OfAnythingElseIsNone) {
  Recording recording;
  std::filesystem::create_directories(recording.folder() / "empty");
  EXPECT_EQ(recorded_system(recording.folder() / "empty"), nullptr);
}

TEST(Recording, LiesDoNotCrash) {
  for (const char* lie : {"[]", "{", "{\"nvml\": 7}", R"({"nvml": {"status": "ok", "devices": [7, null, {"mig": [],
       "total": "much", "compute_capability": [1], "processes": {}}]}, "cuda": {"status": [], "devices": {}}})"}) {
    Recording recording;
    for (const char* name : {"nvidia.json", "levelzero.json", "amdgpu.json", "statfs.json", "unreadable.json"}) {
      recording.part(name, lie);
    }
    EXPECT_LE(recording.machine().gpus.size(), 3U);
    recording.part("windows.json", lie);
    EXPECT_EQ(recording.machine().os->name, "windows");
  }
}

}  // namespace
}  // namespace whyfail::probes
