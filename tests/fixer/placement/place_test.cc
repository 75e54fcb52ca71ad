// place(): whole calls as the fixer asks for them.
#include "fixer/placement/place.h"

#include <gtest/gtest.h>

#include "tests/fixer/placement/small_trees.h"

namespace whyfail::fixer {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

PlacementMachine machine(std::vector<std::uint64_t> gpus, std::uint64_t cpu = 64 * kGiB) {
  PlacementMachine made;
  for (const std::uint64_t free : gpus) {
    GpuMemory gpu;
    gpu.free_bytes = free;
    gpu.total_bytes = free;
    made.gpus.push_back(gpu);
  }
  made.cpu_available_bytes = cpu;
  return made;
}

DeviceMapArgument text(std::string value) {
  DeviceMapArgument argument;
  argument.kind = DeviceMapArgument::Kind::text;
  argument.text = std::move(value);
  return argument;
}

DeviceMapArgument map(DeviceMap value) {
  DeviceMapArgument argument;
  argument.kind = DeviceMapArgument::Kind::map;
  argument.map = std::move(value);
  return argument;
}

class PlaceTest : public testing::Test {
 protected:
  PlacementResult place_with(const DeviceMapArgument& argument, const Rules& rules) {
    return place(tree, facts, argument, max_memory, host, settings, rules);
  }
  std::string error_of(const DeviceMapArgument& argument, const Rules& rules) {
    const PlacementResult result = place_with(argument, rules);
    const LibraryError* error = std::get_if<LibraryError>(&result);
    return error == nullptr ? "none" : error->type + ": " + error->message;
  }
  DeviceMap map_of(const DeviceMapArgument& argument, const Rules& rules) {
    const PlacementResult result = place_with(argument, rules);
    const Placed* placed = std::get_if<Placed>(&result);
    return placed == nullptr ? DeviceMap{{"error", std::get<LibraryError>(result).message}} : placed->device_map;
  }

  ModuleTree tree = language_model(8, 64, true);
  ClassFacts facts{"LlamaForCausalLM", std::vector<std::string>{"DecoderLayer"}, {}, {}, {}};
  std::optional<Budgets> max_memory;
  PlacementMachine host = machine({8 * kGiB, 8 * kGiB});
  LoadSettings settings;
  const Rules four = rules_for({4, 44, 2}, {0, 33, 0});
  const Rules five = rules_for({5, 5, 0}, {1, 13, 0});
};

TEST_F(PlaceTest, ArgumentsOfEveryKind) {
  for (const Rules& rules : {four, five}) {
    EXPECT_EQ(map_of({}, rules), DeviceMap());
    EXPECT_EQ(map_of(text("cuda:1"), rules), (DeviceMap{{"", std::string("cuda:1")}}));
    EXPECT_TRUE(error_of(text("gpu"), rules).ends_with("'sequential' but found gpu.")) << error_of(text("gpu"), rules);
    DeviceMapArgument negative;
    negative.kind = DeviceMapArgument::Kind::integer;
    negative.integer = -1;
    EXPECT_TRUE(error_of(negative, rules).starts_with("ValueError: You can't pass device_map as a negative int."));
  }
  EXPECT_EQ(map_of(text("cuda"), four), (DeviceMap{{"", std::string("cuda")}}));
  EXPECT_EQ(map_of(text("cuda"), five), (DeviceMap{{"", std::string("cuda:0")}}));
}

TEST_F(PlaceTest, StrategiesSpreadAndSpill) {
  const std::uint64_t total = total_bytes(tree);
  EXPECT_EQ(map_of(text("sequential"), four), (DeviceMap{{"", std::int64_t{0}}}));
  max_memory =
      Budgets{{std::int64_t{0}, static_cast<std::int64_t>(total / 2)}, {std::string("cpu"), std::string("1GiB")}};
  for (const Rules& rules : {four, five}) {
    const DeviceMap spilled = map_of(text("auto"), rules);
    bool cpu = false;
    bool gpu = false;
    for (const auto& [key, device] : spilled) {
      cpu = cpu || device == Device(std::string("cpu"));
      gpu = gpu || device == Device(std::int64_t{0});
    }
    EXPECT_TRUE(cpu && gpu);
  }
  max_memory = Budgets{{std::string("gpu"), std::int64_t{1}}};
  EXPECT_TRUE(error_of(text("auto"), five).starts_with("ValueError: Device gpu is not recognized"));
  max_memory = Budgets{{std::int64_t{0}, std::string("20G")}};
  EXPECT_TRUE(error_of(text("auto"), five).starts_with("ValueError: `size` 20G is not in a valid format."));
}

TEST_F(PlaceTest, StrategiesNeedNoSplitModulesInReleaseFour) {
  facts.no_split.reset();
  EXPECT_EQ(error_of(text("auto"), four),
            "ValueError: LlamaForCausalLM does not support `device_map='auto'`. To implement support, the model class "
            "needs to implement the `_no_split_modules` attribute.");
  EXPECT_EQ(error_of(text("auto"), five), "none");
}

TEST_F(PlaceTest, QuantizedModelsMayNotSpill) {
  settings.quantizer = "bitsandbytes_8bit";
  host = machine({kGiB / 8192});
  const std::string refused = "ValueError: Some modules are dispatched on the CPU or the disk.";
  EXPECT_TRUE(error_of(text("auto"), four).starts_with(refused)) << error_of(text("auto"), four);
  EXPECT_TRUE(error_of(text("auto"), five).starts_with(refused));
  settings.fp32_cpu_offload = true;
  EXPECT_EQ(error_of(text("auto"), four), "none");
  settings.fp32_cpu_offload = false;
  const DeviceMap mixed = {{"model", std::int64_t{0}}, {"lm_head", std::string("cpu")}};
  EXPECT_TRUE(error_of(map(mixed), four).starts_with(refused));
  settings.skip_modules = {"lm_head"};
  EXPECT_TRUE(
      error_of(map(mixed), four).starts_with("ValueError: If you want to offload some keys to `cpu` or `disk`"));
}

TEST_F(PlaceTest, DiskNeedsAFolderUnlessTheFileIsTheStore) {
  const DeviceMap with_disk = {{"model", std::string("cpu")}, {"lm_head", std::string("cpu")}};
  settings.safetensors = false;
  EXPECT_EQ(error_of(map(with_disk), four), "none");
  host = machine({}, total_bytes(tree) / 2);
  EXPECT_TRUE(error_of(text("auto"), four)
                  .starts_with("ValueError: The current `device_map` had weights offloaded to the disk. Please provide "
                               "an `offload_folder`"));
  EXPECT_TRUE(error_of(text("auto"), five).find("which needed to be re-saved") != std::string::npos);
  settings.offload_folder = true;
  EXPECT_EQ(error_of(text("auto"), four), "none");
  settings.offload_folder = false;
  settings.safetensors = true;
  EXPECT_EQ(error_of(text("auto"), four), "none");
}

TEST_F(PlaceTest, MapsWithGaps) {
  tree.ties.clear();
  const DeviceMap gap = {{"model", std::int64_t{0}}};
  EXPECT_EQ(error_of(map(gap), four), "ValueError: lm_head.weight doesn't have any device set.");
  EXPECT_EQ(error_of(map({{"model", std::int64_t{0}}, {"model.norm", std::int64_t{1}}}), five),
            "ValueError: The device_map provided does not give any device for the following parameters: "
            "lm_head.weight");
  tree.ties = {{"model.embed_tokens.weight", "lm_head.weight"}};
  EXPECT_EQ(error_of(map(gap), four), "ValueError: The `device_map` does not contain the module .");
}

TEST_F(PlaceTest, DevicesThatAreNotThere) {
  tree.ties.clear();
  for (const Rules& rules : {four, five}) {
    EXPECT_TRUE(error_of(map({{"", std::string("gpu")}}), rules).ends_with("at start of device string: gpu"));
    EXPECT_EQ(error_of(map({{"", std::string("cuda:0 ")}}), rules), "RuntimeError: Invalid device string: 'cuda:0 '");
    EXPECT_EQ(error_of(map({{"model", std::int64_t{0}}, {"lm_head", std::int64_t{2}}}), rules),
              "RuntimeError: CUDA error: invalid device ordinal");
    EXPECT_EQ(error_of(text("cuda:7"), rules), "RuntimeError: CUDA error: invalid device ordinal");
    EXPECT_EQ(error_of(text("cuda:1"), rules), "none");
  }
  host = machine({});
  EXPECT_EQ(error_of(text("cuda"), five), "RuntimeError: No CUDA GPUs are available");
  EXPECT_EQ(error_of(text("cpu"), five), "none");
}

TEST_F(PlaceTest, ExpertsMergedWhileLoadingNeedAFolder) {
  Module experts{"experts", "MixtralExperts", {tensor("gate_up_proj", 64, 64), tensor("down_proj", 64, 64)}, {}, {}};
  tree.root.children[0].children[1].children[7].children[1].children.push_back(std::move(experts));
  const DeviceMap disk = {{"", std::int64_t{0}}, {"model.layers.7", std::string("disk")}};
  EXPECT_TRUE(error_of(map(disk), five).find("which needed to be re-saved") != std::string::npos);
  EXPECT_EQ(error_of(map({{"", std::int64_t{0}}, {"model.layers.6", std::string("disk")}}), five), "none");
  settings.offload_folder = true;
  EXPECT_EQ(error_of(map(disk), five), "none");
}

TEST_F(PlaceTest, WholeModelOnDisk) {
  const DeviceMap disk = {{"", std::string("disk")}};
  EXPECT_TRUE(
      error_of(map(disk), four).starts_with("ValueError: You are trying to offload the whole model to the disk."));
  EXPECT_EQ(error_of(map(disk), rules_for({5, 5, 0}, {1, 13, 0})), "none");
  EXPECT_EQ(error_of(map(disk), rules_for({5, 23, 0}, {1, 15, 0})), "none");
  EXPECT_TRUE(error_of(map(disk), rules_for({5, 23, 0}, {1, 14, 0})).starts_with("ValueError: You are trying"));
}

TEST(Place, SaysWhichRulesWereOnlyRead) {
  const ModuleTree tree = language_model(2, 16, false);
  ClassFacts facts;
  facts.no_split = {"DecoderLayer"};
  DeviceMapArgument automatic;
  automatic.kind = DeviceMapArgument::Kind::text;
  automatic.text = "auto";
  PlacementMachine machine;
  machine.gpus.resize(1);
  machine.gpus[0].free_bytes = 1U << 30;
  machine.cpu_available_bytes = 1U << 30;
  const auto notes = [&](const kb::Release& transformers, const kb::Release& accelerate) {
    return std::get<Placed>(
               place(tree, facts, automatic, std::nullopt, machine, {}, rules_for(transformers, accelerate)))
        .read_not_run.size();
  };
  EXPECT_EQ(notes({5, 23, 0}, {1, 15, 0}), 0U);
  machine.gpus[0].integrated = true;
  EXPECT_EQ(notes({5, 23, 0}, {1, 15, 0}), 1U);
  EXPECT_EQ(notes({5, 16, 0}, {1, 14, 0}), 0U);
}

}  // namespace
}  // namespace whyfail::fixer
