// The list of GPUs: figures, keys, order and reasons, for every vendor.
#include <gtest/gtest.h>

#include "recording.h"

namespace whyfail::probes {
namespace {

std::string nvml_device(const std::string& name, const std::string& uuid, const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "uuid": ")" + uuid +
         R"(", "total": 1000, "free": 800, "used": 100, "reserved": 100, "compute_capability": [8, 6], "processes": [])" +
         more + "}";
}

std::string cuda_device(const std::string& name, const std::string& uuid, bool integrated = false) {
  return R"({"name": ")" + name + R"(", "uuid": ")" + uuid + R"(", "integrated": )" + (integrated ? "true" : "false") +
         R"(, "compute_capability": [8, 7], "total": 900})";
}

std::string nvidia(const std::string& nvml, const std::string& nvml_devices, const std::string& cuda,
                   const std::string& cuda_devices) {
  return R"({"nvml": {"status": ")" + nvml + R"(", "devices": [)" + nvml_devices + R"(]}, "cuda": {"status": ")" +
         cuda + R"(", "devices": [)" + cuda_devices + "]}}";
}

Machine machine_with(const std::string& json, const std::string& environment = R"({"HOME": "/root"})") {
  Recording recording;
  recording.usual().part("nvidia.json", json).environment(environment);
  return recording.machine();
}

std::string reason(const Machine& machine) {
  const auto found = machine.unknown.find("gpus");
  return found == machine.unknown.end() ? "" : found->second;
}

bool says(const Machine& machine, const std::string& words) { return reason(machine).find(words) != std::string::npos; }

const std::string one = nvml_device("A", "GPU-a");
const std::string one_in_cuda = cuda_device("A", "GPU-a");

TEST(Nvidia, GivesNvmlsFigures) {
  const Machine machine = machine_with(nvidia("ok", one, "ok", one_in_cuda));
  ASSERT_EQ(machine.gpus.size(), 1U);
  const Gpu& gpu = machine.gpus[0];
  EXPECT_EQ(gpu.index, 0);
  EXPECT_EQ(gpu.total_bytes, 1000U);
  EXPECT_EQ(gpu.free_bytes, 800U);
  EXPECT_EQ(gpu.reserved_bytes, 100U);
  EXPECT_EQ(gpu.compute_capability, "8.6");
  EXPECT_EQ(gpu.nvidia_index, 0);
  EXPECT_TRUE(gpu.holders_known);
  EXPECT_EQ(reason(machine), "");
  EXPECT_TRUE(machine.gpus_known);
}

TEST(Nvidia, ListsWhoHoldsMemory) {
  const std::string device = R"({"name": "A", "uuid": "GPU-a", "total": 10, "free": 5, "processes": [
      {"pid": 7, "name": "python", "used": 4}, {"pid": 8, "name": "x", "used": null}]})";
  const Machine machine = machine_with(nvidia("ok", device, "missing", ""));
  ASSERT_EQ(machine.gpus.at(0).holders.size(), 2U);
  EXPECT_EQ(machine.gpus[0].holders[0].bytes, 4U);
  EXPECT_FALSE(machine.gpus[0].holders[1].bytes);
  EXPECT_FALSE(machine.gpus[0].reserved_bytes);
}

TEST(Nvidia, TakesCudasOrderUnlessToldOtherwise) {
  const std::string both = nvml_device("Slow", "GPU-s") + "," + nvml_device("Fast", "GPU-f");
  const std::string fastest = cuda_device("Fast", "GPU-f") + "," + cuda_device("Slow", "GPU-s");
  EXPECT_EQ(machine_with(nvidia("ok", both, "ok", fastest)).gpus.at(0).uuid, "GPU-f");
  EXPECT_EQ(machine_with(nvidia("ok", both, "ok", fastest)).gpus.at(0).nvidia_index, 1);
  const Machine by_pci = machine_with(nvidia("ok", both, "ok", fastest), R"({"CUDA_DEVICE_ORDER": "PCI_BUS_ID"})");
  EXPECT_EQ(by_pci.gpus.at(0).uuid, "GPU-s");
  const Machine chosen = machine_with(nvidia("ok", both, "ok", fastest), R"({"CUDA_VISIBLE_DEVICES": "1"})");
  ASSERT_EQ(chosen.gpus.size(), 1U);
  EXPECT_EQ(chosen.gpus[0].uuid, "GPU-s");
}

TEST(Nvidia, DoesNotNumberDifferentCardsWithoutTheDriver) {
  const std::string both = nvml_device("Slow", "GPU-s") + "," + nvml_device("Fast", "GPU-f");
  Machine machine = machine_with(nvidia("ok", both, "missing", ""));
  ASSERT_EQ(machine.gpus.size(), 2U);
  EXPECT_FALSE(machine.gpus[0].index);
  EXPECT_FALSE(machine.gpus[1].index);
  EXPECT_EQ(machine.gpus[0].uuid, "GPU-s");
  EXPECT_TRUE(says(machine, "order"));
  machine = machine_with(nvidia("ok", both, "missing", ""), R"({"CUDA_VISIBLE_DEVICES": "GPU-f"})");
  ASSERT_EQ(machine.gpus.size(), 1U);
  EXPECT_EQ(machine.gpus[0].index, 0);
  EXPECT_FALSE(says(machine, "order"));
  machine = machine_with(nvidia("ok", both, "missing", ""), R"({"CUDA_DEVICE_ORDER": "PCI_BUS_ID"})");
  EXPECT_EQ(machine.gpus.at(1).index, 1);
  const std::string alike = nvml_device("A", "GPU-1") + "," + nvml_device("A", "GPU-2");
  EXPECT_EQ(machine_with(nvidia("ok", alike, "error:x", "")).gpus.at(1).index, 1);
}

TEST(Nvidia, HiddenCardsNeedNoReason) {
  const Machine machine =
      machine_with(nvidia("ok", nvml_device("A", "GPU-a", R"(, "memory_error": "X")"), "ok", one_in_cuda),
                   R"({"CUDA_VISIBLE_DEVICES": ""})");
  EXPECT_TRUE(machine.gpus.empty());
  EXPECT_TRUE(machine.gpus_known);
  EXPECT_EQ(reason(machine), "");
}

TEST(Nvidia, SaysWhyNvmlFails) {
  EXPECT_TRUE(says(machine_with(nvidia("missing", "", "missing", "")), "no NVIDIA driver library"));
  EXPECT_TRUE(says(machine_with(nvidia("error:DRIVER_NOT_LOADED", "", "missing", "")), "DRIVER_NOT_LOADED"));
  EXPECT_TRUE(says(machine_with(nvidia("hangs", "", "hangs", "")), "did not answer"));
  EXPECT_TRUE(says(machine_with(nvidia("crashes", "", "missing", "")), "crashed"));
  EXPECT_TRUE(says(machine_with(nvidia("missing symbol:nvmlInit_v2", "", "missing", "")), "nvmlInit_v2"));
  EXPECT_FALSE(machine_with(nvidia("hangs", "", "hangs", "")).gpus_known);
  EXPECT_TRUE(machine_with(nvidia("missing", "", "missing", "")).gpus_known);
  Recording recording;
  recording.usual().file("/dev/nvidia0", "");
  EXPECT_TRUE(says(recording.machine(), "/dev/nvidia"));
  EXPECT_FALSE(recording.machine().gpus_known);
}

TEST(Nvidia, OldDriversLackTheSecondVersion) {
  const Machine machine = machine_with(nvidia("missing symbol:nvmlDeviceGetMemoryInfo_v2", one, "ok", one_in_cuda));
  EXPECT_EQ(machine.gpus.at(0).free_bytes, 800U);
  EXPECT_EQ(reason(machine), "");
}

TEST(Nvidia, WithoutNvmlTheDriverListsCards) {
  const Machine machine = machine_with(nvidia("missing", "", "ok", one_in_cuda + "," + cuda_device("B", "GPU-b")),
                                       R"({"CUDA_VISIBLE_DEVICES": "1"})");
  ASSERT_EQ(machine.gpus.size(), 1U);
  EXPECT_EQ(machine.gpus[0].uuid, "GPU-b");
  EXPECT_EQ(machine.gpus[0].total_bytes, 900U);
  EXPECT_FALSE(machine.gpus[0].free_bytes);
  EXPECT_FALSE(machine.gpus[0].nvidia_index);
  EXPECT_TRUE(says(machine, "NVML"));
}

TEST(Nvidia, AnIntegratedGpuIsTheMachinesMemory) {
  Machine machine = machine_with(nvidia("missing", "", "ok", cuda_device("Orin", "GPU-o", true)));
  EXPECT_TRUE(machine.gpus.at(0).unified);
  EXPECT_EQ(machine.gpus[0].total_bytes, 16 * gibibyte);
  EXPECT_EQ(machine.gpus[0].free_bytes, 8 * gibibyte);
  EXPECT_EQ(reason(machine), "");
  const std::string unsupported = nvml_device("GB10", "GPU-g", R"(, "memory_error": "NOT_SUPPORTED")");
  EXPECT_TRUE(machine_with(nvidia("ok", unsupported, "missing", "")).gpus.at(0).unified);
  machine = machine_with(nvidia("ok", unsupported, "ok", cuda_device("GB10", "GPU-g")));
  EXPECT_FALSE(machine.gpus.at(0).unified);
  EXPECT_FALSE(machine.gpus[0].total_bytes);
  EXPECT_TRUE(says(machine, "NOT_SUPPORTED"));
}

TEST(Nvidia, AbsurdFiguresAreNotPassedOn) {
  const auto with = [](const std::string& total, const std::string& free) {
    return machine_with(nvidia(
        "ok", R"({"name": "A", "uuid": "GPU-a", "total": )" + total + R"(, "free": )" + free + "}", "missing", ""));
  };
  EXPECT_EQ(with("100", "101").gpus.at(0).total_bytes, 100U);
  EXPECT_FALSE(with("100", "101").gpus.at(0).free_bytes);
  EXPECT_TRUE(says(with("100", "101"), "free"));
  EXPECT_TRUE(says(with("100", "-1"), "free"));
  EXPECT_FALSE(with("0", "0").gpus.at(0).free_bytes);
  EXPECT_TRUE(says(with("0", "0"), "total"));
  EXPECT_TRUE(says(with("-5", "1"), "total"));
  EXPECT_FALSE(with("100", "18446744073709551615").gpus.at(0).free_bytes);
}

const std::string mig_card = nvml_device("A100", "GPU-m", R"(, "mig": {"enabled": true, "instances": [
    {"uuid": "MIG-1", "name": "A100 MIG 3g", "total": 400, "free": 300, "gi": 1, "ci": 0},
    {"uuid": "MIG-2", "name": "A100 MIG 1g", "total": 100, "free": 90, "gi": 9, "ci": 0}]})");

TEST(Mig, OneInstanceStandsForTheCard) {
  Machine machine = machine_with(nvidia("ok", mig_card, "ok", cuda_device("A100 MIG 3g", "MIG-1")));
  ASSERT_EQ(machine.gpus.size(), 1U);
  EXPECT_EQ(machine.gpus[0].uuid, "MIG-1");
  EXPECT_TRUE(machine.gpus[0].mig);
  EXPECT_EQ(machine.gpus[0].free_bytes, 300U);
  EXPECT_EQ(machine.gpus[0].nvidia_index, 0);
  machine = machine_with(nvidia("ok", mig_card, "missing", ""));
  ASSERT_EQ(machine.gpus.size(), 1U);
  EXPECT_EQ(machine.gpus[0].uuid, "MIG-1");
  machine = machine_with(nvidia("ok", mig_card, "ok", cuda_device("A100 MIG 3g", "MIG-1")),
                         R"({"CUDA_VISIBLE_DEVICES": "MIG-2"})");
  EXPECT_EQ(machine.gpus.at(0).total_bytes, 100U);
}

TEST(Wddm, WindowsBudgetsCapWhatIsFree) {
  Recording recording;
  const std::string device = nvml_device("A", "GPU-a", R"(, "driver_model": "WDDM", "luid": "0x1")");
  const auto free = [&](const std::string& luid, int budget, int usage) {
    recording.part("nvidia.json", nvidia("ok", device, "ok", one_in_cuda))
        .part("windows.json", R"({"version": "W", "dxgi": [{"luid": ")" + luid + R"(", "budget": )" +
                                  std::to_string(budget) + R"(, "current_usage": )" + std::to_string(usage) + "}]}");
    return recording.machine().gpus.at(0).free_bytes;
  };
  EXPECT_EQ(free("0x1", 700, 50), 650U);
  EXPECT_EQ(free("0x1", 950, 50), 800U);
  EXPECT_EQ(free("0x1", 10, 50), 0U);
  EXPECT_EQ(free("0x2", 10, 5), 800U);
  EXPECT_EQ(recording.machine().gpus.at(0).driver_model, "wddm");
}

TEST(Wddm, IsTheDriverModelInWsl) {
  Recording recording;
  recording.usual().part("nvidia.json", nvidia("ok", one, "ok", one_in_cuda)).file("/proc/version", "Linux microsoft");
  EXPECT_EQ(recording.machine().gpus.at(0).driver_model, "wddm");
}

TEST(Vgpu, LimitsCountOnlyWithTheLibrary) {
  const std::string json = nvidia("ok", one, "ok", one_in_cuda);
  const std::string limit = R"("CUDA_DEVICE_MEMORY_LIMIT": "1k", "CUDA_DEVICE_MEMORY_LIMIT_0": "600")";
  EXPECT_EQ(machine_with(json, "{" + limit + "}").gpus.at(0).total_bytes, 1000U);
  Machine machine = machine_with(json, R"({"LD_PRELOAD": "/usr/lib/libvgpu.so", )" + limit + "}");
  EXPECT_EQ(machine.gpus.at(0).total_bytes, 600U);
  EXPECT_EQ(machine.gpus.at(0).free_bytes, 600U);
  Recording recording;
  recording.part("nvidia.json", json)
      .file("/etc/ld.so.preload", "/usr/local/vgpu/libvgpu.so\n")
      .environment(R"({"CUDA_DEVICE_MEMORY_LIMIT_1": "1", "CUDA_DEVICE_MEMORY_LIMIT": "700"})");
  EXPECT_EQ(recording.machine().gpus.at(0).free_bytes, 700U);
}

Recording& amd(Recording& recording, int number, const std::string& slot, const std::string& unique, std::uint64_t vram,
               std::uint64_t gtt) {
  const std::string folder = "/sys/class/drm/card" + std::to_string(number) + "/device/";
  if (!unique.empty()) recording.file(folder + "unique_id", unique + "\n");
  return recording.file(folder + "vendor", "0x1002\n")
      .file(folder + "uevent", "DRIVER=amdgpu\nPCI_SLOT_NAME=" + slot + "\n")
      .file(folder + "mem_info_vram_total", std::to_string(vram))
      .file(folder + "mem_info_vram_used", "100")
      .file(folder + "mem_info_gtt_total", std::to_string(gtt))
      .file(folder + "mem_info_gtt_used", "50");
}

std::vector<std::string> uuids(const Machine& machine) {
  std::vector<std::string> all;
  for (const Gpu& gpu : machine.gpus) all.push_back(gpu.uuid);
  return all;
}

TEST(Amd, IsReadFromSysfsInPciOrder) {
  Recording recording;
  amd(amd(recording.usual(), 0, "0000:83:00.0", "b", 24 * gibibyte, gibibyte), 1, "0000:03:00.0", "a", 24 * gibibyte,
      gibibyte)
      .file("/sys/class/drm/card0-DP-1/device/vendor", "0x1002");
  const Machine machine = recording.machine();
  EXPECT_EQ(uuids(machine), (std::vector<std::string>{"GPU-a", "GPU-b"}));
  EXPECT_EQ(machine.gpus[0].free_bytes, 24 * gibibyte - 100);
  EXPECT_EQ(machine.gpus[0].index, 0);
  EXPECT_FALSE(machine.gpus[0].unified);
  EXPECT_EQ(reason(machine), "");
}

TEST(Amd, RocrSelectsBeforeHip) {
  Recording recording;
  recording.usual();
  for (int i = 0; i < 4; ++i) {
    amd(recording, i, "0000:0" + std::to_string(i) + ":00.0", std::string(1, static_cast<char>('a' + i)), gibibyte, 1);
  }
  const auto with = [&](const std::string& environment) { return uuids(recording.environment(environment).machine()); };
  using Names = std::vector<std::string>;
  EXPECT_EQ(with(R"({"ROCR_VISIBLE_DEVICES": "1,2,3", "HIP_VISIBLE_DEVICES": "2,0"})"), (Names{"GPU-d", "GPU-b"}));
  EXPECT_EQ(with(R"({"ROCR_VISIBLE_DEVICES": "GPU-c,0"})"), (Names{"GPU-c", "GPU-a"}));
  EXPECT_EQ(with(R"({"CUDA_VISIBLE_DEVICES": "3,9,1"})"), (Names{"GPU-d"}));
  EXPECT_EQ(with(R"({"HIP_VISIBLE_DEVICES": "0", "CUDA_VISIBLE_DEVICES": "1"})"), (Names{"GPU-a"}));
}

TEST(Amd, AnApuSharesTheMachinesMemory) {
  Recording recording;
  amd(recording.usual(), 0, "0000:c4:00.0", "", gibibyte, 12 * gibibyte);
  Gpu gpu = recording.machine().gpus.at(0);  // a small carve-out beside a large GTT
  EXPECT_TRUE(gpu.unified);
  EXPECT_EQ(gpu.total_bytes, 13 * gibibyte);
  EXPECT_EQ(gpu.free_bytes, gibibyte - 100 + 8 * gibibyte);  // no more than is available
  EXPECT_EQ(gpu.uuid, "");
  recording.file("/sys/module/ttm/parameters/pages_limit", "1048576");
  gpu = recording.machine().gpus.at(0);
  EXPECT_EQ(gpu.total_bytes, 5 * gibibyte);
  EXPECT_EQ(gpu.free_bytes, gibibyte - 100 + 4 * gibibyte - 50);
  recording.part("amdgpu.json", R"({"0000:c4:00.0": {"fusion": false}})");
  EXPECT_EQ(recording.machine().gpus.at(0).total_bytes, gibibyte);
  Recording large;
  amd(large.usual(), 0, "0000:c4:00.0", "", 96 * gibibyte, 15 * gibibyte)
      .part("amdgpu.json", R"({"0000:c4:00.0": {"fusion": true}})");
  EXPECT_TRUE(large.machine().gpus.at(0).unified);
}

const std::string level_zero = R"({"status": "ok", "devices": [
    {"name": "Max", "uuid": "u0", "integrated": false, "tiles": [{"total": 64, "free": 60}, {"total": 64, "free": 61}]},
    {"name": "Max", "uuid": "u1", "integrated": false, "tiles": [{"total": 64, "free": 62}, {"total": 64, "free": 63}]}]})";

std::vector<std::uint64_t> free_of_intel(const std::string& environment) {
  Recording recording;
  recording.usual().part("levelzero.json", level_zero).environment(environment);
  std::vector<std::uint64_t> all;
  for (const Gpu& gpu : recording.machine().gpus) all.push_back(gpu.free_bytes.value_or(0));
  return all;
}

TEST(Intel, TilesAreDevicesUnlessComposite) {
  using Sizes = std::vector<std::uint64_t>;
  EXPECT_EQ(free_of_intel("{}"), (Sizes{60, 61, 62, 63}));
  EXPECT_EQ(free_of_intel(R"({"ZE_AFFINITY_MASK": "2,1"})"), (Sizes{61, 62}));
  EXPECT_EQ(free_of_intel(R"({"ZE_FLAT_DEVICE_HIERARCHY": "COMPOSITE"})"), (Sizes{121, 125}));
  EXPECT_EQ(free_of_intel(R"({"ZE_FLAT_DEVICE_HIERARCHY": "COMPOSITE", "ZE_AFFINITY_MASK": "1.0,0"})"),
            (Sizes{121, 62}));
  EXPECT_EQ(free_of_intel(R"({"ZE_AFFINITY_MASK": "9,x"})"), Sizes{});
}

TEST(Intel, IntegratedIsLimitedByWhatIsAvailable) {
  Recording recording;
  recording.usual().part("levelzero.json", R"({"status": "ok", "devices": [{"name": "Iris", "integrated": true,
      "tiles": [{"total": 34359738368, "free": 30000000000}]}]})");
  EXPECT_TRUE(recording.machine().gpus.at(0).unified);
  EXPECT_EQ(recording.machine().gpus.at(0).free_bytes, 8 * gibibyte);
}

TEST(Intel, WithoutLevelZeroIsListedWithoutAKey) {
  Recording recording;
  recording.usual().file("/sys/class/drm/card0/device/vendor", "0x8086\n");
  const Machine machine = recording.machine();
  ASSERT_EQ(machine.gpus.size(), 1U);
  EXPECT_FALSE(machine.gpus[0].index);
  EXPECT_FALSE(machine.gpus[0].total_bytes);
  EXPECT_TRUE(says(machine, "Level Zero"));
  recording.part("nvidia.json", nvidia("ok", one, "ok", one_in_cuda));
  EXPECT_FALSE(says(recording.machine(), "Level Zero"));
  EXPECT_EQ(recording.machine().gpus.at(0).vendor, "nvidia");
}

TEST(Keys, GoToTheVendorThatTorchWasBuiltFor) {
  Recording recording;
  amd(recording.usual(), 0, "0000:03:00.0", "a", gibibyte, 1).part("nvidia.json", nvidia("ok", one, "ok", one_in_cuda));
  EXPECT_EQ(uuids(recording.machine()), (std::vector<std::string>{"GPU-a", "GPU-a"}));
  EXPECT_EQ(recording.machine().gpus.at(0).vendor, "nvidia");
  EXPECT_FALSE(recording.machine().gpus.at(1).index);
  recording.file("/usr/lib/python3/dist-packages/torch-2.5.1+rocm6.2.dist-info/METADATA",
                 "Name: torch\nVersion: 2.5.1+rocm6.2\n");
  EXPECT_EQ(recording.machine().gpus.at(0).vendor, "amd");
  EXPECT_EQ(recording.machine().gpus.at(0).index, 0);
  EXPECT_FALSE(recording.machine().gpus.at(1).index);
}

}  // namespace
}  // namespace whyfail::probes
