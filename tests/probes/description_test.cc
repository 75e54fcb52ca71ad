// Machine descriptions from JSON and from the short form: what they mean, and what is refused with which words.
#include "probes/description.h"

#include <gtest/gtest.h>

#include "probes/allowance.h"

namespace whyfail::probes {
namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30U;

std::string refusal(const std::variant<Machine, BadDescription>& answer) {
  return std::holds_alternative<Machine>(answer) ? "" : std::get<BadDescription>(answer).message;
}

TEST(ShortForm, GivesWhatItNames) {
  const auto machine = std::get<Machine>(machine_from(
      "gpu=24GiB:22.5GiB free,gpu=8GiB, ram=64GiB,disk=500GiB,os=windows,transformers=4.44.2,huggingface_hub=0.24.6"));
  ASSERT_EQ(machine.gpus.size(), 2U);
  EXPECT_EQ(machine.gpus[0].total_bytes, 24 * gibibyte);
  EXPECT_EQ(machine.gpus[0].free_bytes, 45 * gibibyte / 2);
  EXPECT_EQ(machine.gpus[1].index, 1);
  EXPECT_EQ(machine.gpus[1].free_bytes, 8 * gibibyte);
  EXPECT_EQ(machine.memory.available_bytes, 64 * gibibyte);
  EXPECT_EQ(machine.disks.at(0).free_bytes, 500 * gibibyte);
  EXPECT_EQ(machine.os->name, "windows");
  EXPECT_EQ(machine.packages.at("transformers"), "4.44.2");
  EXPECT_EQ(machine.packages.at("huggingface-hub"), "0.24.6");
}

TEST(ShortForm, KnowsNoGpuAndUnknownGpus) {
  EXPECT_TRUE(std::get<Machine>(machine_from("gpu=none,ram=8GiB")).gpus_known);
  EXPECT_FALSE(std::get<Machine>(machine_from("ram=8GiB")).gpus_known);
  EXPECT_TRUE(std::get<Machine>(machine_from("os=wsl")).os->wsl);
}

TEST(ShortForm, RefusesWhatMakesNoSense) {
  EXPECT_NE(refusal(machine_from("gpu=big")).find("gpu=big"), std::string::npos);
  EXPECT_NE(refusal(machine_from("gpu=8GiB:9GiB free")).find("more is free"), std::string::npos);
  EXPECT_NE(refusal(machine_from("gpu=8GiB:7GiB")).find("22.5GiB free"), std::string::npos);
  EXPECT_NE(refusal(machine_from("ram=-1")).find("ram"), std::string::npos);
  EXPECT_NE(refusal(machine_from("os=beos")).find("linux"), std::string::npos);
  EXPECT_NE(refusal(machine_from("ram=1GiB,nonsense")).find("nonsense"), std::string::npos);
  EXPECT_NE(refusal(machine_from("gpu=99999999999999999999GiB")), "");
  EXPECT_NE(refusal(machine_from("/no/such/file")).find("neither a file"), std::string::npos);
}

TEST(DescriptionJson, RefusesLies) {
  const auto of = [](std::string_view text) { return refusal(machine_from_json(text, "m.json")); };
  EXPECT_NE(of("{").find("m.json is not JSON"), std::string::npos);
  EXPECT_NE(of("[]").find("object"), std::string::npos);
  EXPECT_NE(of("{}").find("holds none"), std::string::npos);
  EXPECT_NE(of(R"({"schema": "other/1", "gpus": []})").find("schema"), std::string::npos);
  EXPECT_NE(of(R"({"gpus": [{"key": 0, "total_bytes": "24GiB"}]})").find("gpus[0].total_bytes"), std::string::npos);
  EXPECT_NE(of(R"({"gpus": [{"key": 0, "total_bytes": -1}]})").find("gpus[0].total_bytes"), std::string::npos);
  EXPECT_NE(of(R"({"gpus": [{"total_bytes": 5, "free_bytes": 6}]})").find("at most total_bytes"), std::string::npos);
  EXPECT_NE(of(R"({"gpus": [{"key": 0}, {"key": 0}]})").find("different"), std::string::npos);
  EXPECT_NE(of(R"({"gpus": {"key": 0}})").find("a list"), std::string::npos);
  EXPECT_NE(of(R"({"memory": {"available_bytes": 1e30}})").find("memory.available_bytes"), std::string::npos);
  EXPECT_NE(of(R"({"packages": {"torch": 2}})").find("packages.torch"), std::string::npos);
  EXPECT_NE(of(std::string(100000, '[')), "");
}

TEST(DescriptionJson, MissingKeysAreNotKnown) {
  const auto machine = std::get<Machine>(machine_from_json(R"({"gpus": [{"key": "mps", "total_bytes": null}]})", "m"));
  EXPECT_TRUE(machine.gpus.at(0).mps);
  EXPECT_FALSE(machine.gpus[0].total_bytes);
  EXPECT_FALSE(machine.memory.total_bytes);
  EXPECT_TRUE(machine.gpus_known);
  EXPECT_EQ(machine.gpus[0].origin, "m");
}

TEST(Contradiction, OtherSystemsAndSizesAreOtherMachines) {
  const auto of = [](const std::string& spec) { return std::get<Machine>(machine_from(spec)); };
  const Machine local = of("gpu=24GiB,ram=8GiB,os=linux");
  EXPECT_FALSE(contradicts(Machine{}, local));
  EXPECT_FALSE(contradicts(of("gpu=23.55GiB"), local));  // torch's figure for the same card
  EXPECT_TRUE(contradicts(of("gpu=80GiB"), local));
  EXPECT_TRUE(contradicts(of("gpu=24GiB,gpu=24GiB"), local));
  EXPECT_TRUE(contradicts(of("gpu=none"), local));
  EXPECT_TRUE(contradicts(of("os=windows"), local));
  EXPECT_TRUE(contradicts(of("gpu=24GiB"), of("gpu=none")));
  Machine named;
  named.gpus.emplace_back();
  named.gpus[0].name = "NVIDIA A100";  // sold with 40 and with 80 GB
  EXPECT_TRUE(contradicts(named, local));
  EXPECT_FALSE(contradicts(named, of("gpu=79.2GiB")));
  EXPECT_FALSE(contradicts(of("gpu=24GiB"), of("os=linux")));  // nothing is known of the cards here
}

TEST(Allowance, IsMoreUnderWindowsAndNamesItsSource) {
  Gpu gpu;
  gpu.total_bytes = 24 * gibibyte;
  const Allowance plain = context_allowance(gpu);
  gpu.driver_model = "wddm";
  EXPECT_GT(context_allowance(gpu).bytes, plain.bytes);
  EXPECT_GE(plain.bytes, 256U << 20U);
  EXPECT_NE(plain.origin.find("MiB"), std::string::npos);
  EXPECT_GT(desktop_allowance(gpu, std::nullopt).bytes, 0U);
  gpu.free_bytes = gibibyte;
  EXPECT_EQ(desktop_allowance(gpu, std::nullopt).bytes, 0U);
  gpu.mps = true;
  EXPECT_EQ(context_allowance(gpu).bytes, 0U);
}

}  // namespace
}  // namespace whyfail::probes
