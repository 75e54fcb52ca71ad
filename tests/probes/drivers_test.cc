// The NVIDIA libraries through the real dlopen path, in child processes, with drivers that work, fail, hang and crash.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "probes/answers_json.h"
#include "probes/child_process.h"
#include "probes/gpus.h"
#include "probes/nvidia_libraries.h"
#include "probes/real_system.h"
#include "recording.h"

namespace whyfail::probes {
namespace {

namespace fs = std::filesystem;
using Outcome = LibraryState::Outcome;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

const std::string fakes = WHYFAIL_FAKE_DRIVERS;

NvidiaLibraries libraries(const std::string& variant = "whole") {
  return {{fakes + "/" + variant + "/libnvidia-ml.so.1"},
          {fakes + "/whole/libcuda.so.1"},
          milliseconds(20000),
          milliseconds(20000)};
}

// The recorded answers of a folder of tests/machines, or text of a recording.
class Drivers : public testing::Test {
 protected:
  void answer(const std::string& json) {
    recording_.part("nvidia.json", json);
    setenv("WHYFAIL_FAKE_NVIDIA", (recording_.folder() / "nvidia.json").c_str(), 1);
  }
  void answer_as(const std::string& machine) {
    const fs::path file = fs::path(WHYFAIL_SOURCE_DIR) / "tests" / "machines" / machine / "nvidia.json";
    setenv("WHYFAIL_FAKE_NVIDIA", file.c_str(), 1);
  }
  void TearDown() override {
    for (const char* name : {"WHYFAIL_FAKE_NVIDIA", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"}) unsetenv(name);
  }
  Recording recording_;
};

TEST_F(Drivers, AnswerThroughTheRealPathAsTheRecordingSays) {
  answer_as("trap04-fastest-first");
  const NvidiaAnswer got = ask_nvidia(libraries(), false);
  ASSERT_TRUE(got.nvml.state.ok());
  ASSERT_EQ(got.nvml.devices.size(), 2U);
  EXPECT_EQ(got.nvml.devices[0].name, "NVIDIA GeForce RTX 3060");
  EXPECT_EQ(got.nvml.devices[0].free, 12120489984);
  EXPECT_EQ(got.nvml.devices[0].reserved, 227540992);
  EXPECT_EQ(got.nvml.devices[1].compute_capability, std::pair(8, 9));
  ASSERT_TRUE(got.cuda.state.ok());  // different cards: the order matters
  ASSERT_EQ(got.cuda.devices.size(), 2U);
  EXPECT_EQ(got.cuda.devices[0].uuid, got.nvml.devices[1].uuid);
}

TEST_F(Drivers, CudaIsNotAskedWhereNothingDependsOnIt) {
  answer_as("trap03-uuid-prefix");
  EXPECT_EQ(ask_nvidia(libraries(), false).cuda.state.outcome, Outcome::not_asked);
  answer_as("trap04-fastest-first");
  EXPECT_EQ(ask_nvidia(libraries(), true).cuda.state.outcome, Outcome::not_asked);
}

TEST_F(Drivers, AMachineOfEightCardsKeepsItsKeys) {
  std::string devices;
  for (int i = 0; i < 8; ++i) {
    devices += std::string(i == 0 ? "" : ",") + R"({"name": "NVIDIA H100", "uuid": "GPU-)" + std::to_string(i) +
               R"(", "total": 85520809984, "free": )" + std::to_string(80000000000 + i) +
               R"(, "reserved": 1, "processes": [
               {"pid": 4711, "name": "python", "used": 1000}]})";
  }
  answer(R"({"nvml": {"status": "ok", "devices": [)" + devices + "]}}");
  setenv("CUDA_VISIBLE_DEVICES", "7,GPU-3", 1);
  Machine machine;
  read_gpus(*real_system(libraries()), machine);
  ASSERT_EQ(machine.gpus.size(), 2U);
  EXPECT_EQ(machine.gpus[0].nvidia_index, 7);
  EXPECT_EQ(machine.gpus[0].free_bytes, 80000000007U);
  EXPECT_EQ(machine.gpus[1].uuid, "GPU-3");
  EXPECT_EQ(machine.gpus[1].index, 1);
  EXPECT_EQ(machine.gpus[0].holders.at(0).name, "python");
  EXPECT_EQ(machine.gpus[0].origin, "this machine: NVML");
}

TEST_F(Drivers, CudaIsAskedWithoutTheCallersVariables) {
  answer_as("trap04-fastest-first");
  setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  Machine machine;
  read_gpus(*real_system(libraries()), machine);
  ASSERT_EQ(machine.gpus.size(), 1U);
  EXPECT_EQ(machine.gpus[0].name, "NVIDIA GeForce RTX 3060");
  EXPECT_STREQ(std::getenv("CUDA_VISIBLE_DEVICES"), "1");  // only the child's were cleared
}

TEST_F(Drivers, MigInstancesAreFoundAgainInCudasList) {
  answer_as("trap05-mig-uuid");
  const NvidiaAnswer got = ask_nvidia(libraries(), false);
  ASSERT_EQ(got.nvml.devices.at(0).instances.size(), 3U);
  EXPECT_EQ(got.nvml.devices[0].instances[1].gpu_instance, 5);
  EXPECT_EQ(got.cuda.devices.at(0).uuid, got.nvml.devices[0].instances[0].uuid);
}

TEST_F(Drivers, MissingLibrariesAndFunctions) {
  const NvidiaLibraries none = {
      {"libwhyfail-not-there.so.1"}, {"libwhyfail-not-there.so.1"}, milliseconds(20000), milliseconds(20000)};
  const NvidiaAnswer missing = ask_nvidia(none, false);
  EXPECT_EQ(missing.nvml.state.outcome, Outcome::missing);
  EXPECT_EQ(missing.cuda.state.outcome, Outcome::missing);
  answer_as("trap03-uuid-prefix");
  const NvidiaAnswer old = ask_nvidia(libraries("without_memory_v2"), false);
  EXPECT_EQ(old.nvml.state.outcome, Outcome::missing_symbol);
  EXPECT_EQ(old.nvml.state.name, "nvmlDeviceGetMemoryInfo_v2");
  ASSERT_EQ(old.nvml.devices.size(), 4U);
  EXPECT_FALSE(old.nvml.devices[0].reserved);
  EXPECT_TRUE(old.nvml.devices[0].free);
  const NvidiaAnswer foreign = ask_nvidia(libraries("without_init"), false);
  EXPECT_EQ(foreign.nvml.state.name, "nvmlInit_v2");
  EXPECT_TRUE(foreign.nvml.devices.empty());
  recording_.part("broken.so", "this is no library");
  const NvidiaLibraries broken = {
      {(recording_.folder() / "broken.so").string()}, {}, milliseconds(20000), milliseconds(20000)};
  EXPECT_EQ(ask_nvidia(broken, false).nvml.state.outcome, Outcome::error);
}

TEST_F(Drivers, ErrorsAreNamed) {
  answer(R"({"nvml": {"status": "error:DRIVER_NOT_LOADED"}, "cuda": {"status": "error:x"}})");
  const NvidiaAnswer got = ask_nvidia(libraries(), false);
  EXPECT_EQ(got.nvml.state.name, "DRIVER_NOT_LOADED");
  EXPECT_EQ(got.cuda.state.name, "CUDA_ERROR_NO_DEVICE");
  answer(R"({"nvml": {"status": "ok", "devices": [{"name": "A", "uuid": "GPU-a", "memory_error": "NOT_SUPPORTED"}]},
             "cuda": {"status": "ok", "devices": [{"name": "A", "uuid": "GPU-00112233-4455-6677-8899-aabbccddeeff", "integrated": true}]}})");
  const NvidiaAnswer jetson = ask_nvidia(libraries(), false);
  EXPECT_EQ(jetson.nvml.devices.at(0).memory_error, "NOT_SUPPORTED");
  EXPECT_TRUE(jetson.cuda.devices.at(0).integrated);
  EXPECT_EQ(jetson.cuda.devices[0].uuid, "GPU-00112233-4455-6677-8899-aabbccddeeff");
}

TEST_F(Drivers, AHangingDriverCostsABoundedWaitAndOneLine) {
  answer(R"({"nvml": {"status": "hangs"}, "cuda": {"status": "hangs"}})");
  NvidiaLibraries quick = libraries();
  quick.nvml_limit = milliseconds(200);
  quick.cuda_limit = milliseconds(200);
  const auto begin = Clock::now();
  Machine machine;
  read_gpus(*real_system(quick), machine);
  EXPECT_LT(Clock::now() - begin, milliseconds(5000));
  EXPECT_TRUE(machine.gpus.empty());
  EXPECT_FALSE(machine.gpus_known);
  EXPECT_NE(machine.unknown.at("gpus").find("did not answer"), std::string::npos);
  EXPECT_EQ(machine.unknown.at("gpus").find('\n'), std::string::npos);
}

TEST_F(Drivers, ACrashingDriverCostsOneLine) {
  answer(R"({"nvml": {"status": "crashes"}, "cuda": {"status": "crashes"}})");
  Machine machine;
  read_gpus(*real_system(libraries()), machine);
  EXPECT_NE(machine.unknown.at("gpus").find("crashed"), std::string::npos);
}

TEST(Child, GivesItsTextOrSaysHowItEnded) {
  EXPECT_EQ(ask_child([] { return std::string("a\nb"); }, milliseconds(20000)).text, "a\nb\n");
  const std::string large(3U << 20U, 'x');
  EXPECT_EQ(ask_child([&] { return large; }, milliseconds(20000)).text.size(), large.size() + 1);
  EXPECT_EQ(ask_child([]() -> std::string { _exit(0); }, milliseconds(20000)).end, ChildAnswer::End::crashes);
  EXPECT_EQ(ask_child([]() -> std::string { std::abort(); }, milliseconds(20000)).end, ChildAnswer::End::crashes);
  EXPECT_EQ(ask_child(
                []() -> std::string {
                  for (;;) pause();
                },
                milliseconds(100))
                .end,
            ChildAnswer::End::hangs);
}

TEST(Answers, ComeBackFromTheirText) {
  for (const char* machine : {"trap05-mig-uuid", "plain-colab-t4", "trap06-wddm-budget"}) {
    std::ifstream file(fs::path(WHYFAIL_SOURCE_DIR) / "tests" / "machines" / machine / "nvidia.json");
    const NvidiaAnswer all = nvidia_from(std::string(std::istreambuf_iterator<char>(file), {}));
    const std::string nvml = nvml_text(all.nvml);
    EXPECT_EQ(nvml_text(nvml_from(nvml)), nvml);
    EXPECT_EQ(nvml_from(nvml).devices.size(), all.nvml.devices.size());
    EXPECT_EQ(cuda_text(cuda_from(cuda_text(all.cuda))), cuda_text(all.cuda));
  }
  EXPECT_EQ(nvml_from("{").state.outcome, Outcome::crashes);
}

}  // namespace
}  // namespace whyfail::probes
