// Changes come with the release that made them.
#include "fixer/placement/rules.h"

#include <gtest/gtest.h>

#include "fixer/placement/cache_rules.h"
#include "fixer/placement/one_device.h"

namespace whyfail::fixer {
namespace {

TEST(Rules, EnginesByRelease) {
  EXPECT_EQ(rules_for({4, 46, 3}, {1, 1, 1}).engine, Engine::size_first);
  EXPECT_EQ(rules_for({4, 46, 3}, {1, 2, 0}).engine, Engine::ties_first);
  EXPECT_TRUE(rules_for({4, 47, 1}, {1, 2, 1}).partner_by_substring);
  EXPECT_FALSE(rules_for({4, 47, 1}, {1, 3, 0}).partner_by_substring);
  EXPECT_FALSE(rules_for({5, 1, 0}, {1, 2, 1}).partner_by_substring);
  // transformers 5 has its own, whatever accelerate is installed
  EXPECT_EQ(rules_for({5, 12, 0}, {1, 1, 1}).engine, Engine::ties_first);
  EXPECT_EQ(rules_for({5, 13, 0}, {1, 15, 0}).engine, Engine::split_always);
  EXPECT_FALSE(rules_for({4, 57, 6}, {1, 12, 0}).own_allocator);
  EXPECT_TRUE(rules_for({5, 0, 0}, {1, 12, 0}).own_allocator);
}

TEST(Rules, UnusedMemoryMovesFromNowhereToTheEndToTheStart) {
  EXPECT_EQ(rules_for({4, 51, 3}, {1, 6, 0}).unused_memory, UnusedMemory::ignored);
  EXPECT_EQ(rules_for({4, 53, 3}, {1, 8, 1}).unused_memory, UnusedMemory::after_balancing);
  EXPECT_EQ(rules_for({5, 3, 0}, {1, 12, 0}).unused_memory, UnusedMemory::after_balancing);
  EXPECT_EQ(rules_for({5, 4, 0}, {1, 12, 0}).unused_memory, UnusedMemory::in_max_memory);
}

TEST(Rules, QuantizersByRelease) {
  const Rules four = rules_for({4, 57, 6}, {1, 12, 0});
  const Rules five = rules_for({5, 5, 0}, {1, 13, 0});
  EXPECT_EQ(quantizer_rules("quanto", false, four).refuses, Refuses::never);
  EXPECT_EQ(quantizer_rules("quanto", false, five).refuses, Refuses::most);
  EXPECT_EQ(quantizer_rules("hqq", false, four).refuses, Refuses::never);
  EXPECT_EQ(quantizer_rules("hqq", false, five).refuses, Refuses::cpu_or_disk);
  EXPECT_EQ(quantizer_rules("fp8", true, rules_for({5, 10, 0}, {1, 14, 0})).refuses, Refuses::disk);
  EXPECT_EQ(quantizer_rules("fp8", true, rules_for({5, 10, 1}, {1, 14, 0})).refuses, Refuses::never);
  EXPECT_EQ(quantizer_rules("fp8", true, rules_for({5, 11, 0}, {1, 14, 0})).refuses, Refuses::never);
  EXPECT_STREQ(quantizer_rules("bitsandbytes_4bit", false, rules_for({4, 40, 2}, {0, 29, 3})).no_gpu_error,
               "ImportError");
  EXPECT_STREQ(quantizer_rules("bitsandbytes_4bit", false, rules_for({4, 41, 0}, {0, 30, 1})).no_gpu_error,
               "RuntimeError");
  EXPECT_STREQ(quantizer_rules("mxfp4", true, rules_for({4, 55, 0}, {1, 10, 0})).no_gpu_error, "RuntimeError");
  EXPECT_STREQ(quantizer_rules("mxfp4", true, rules_for({4, 55, 1}, {1, 10, 0})).no_gpu_error, "");
  EXPECT_EQ(quantizer_rules("mxfp4", false, rules_for({5, 22, 0}, {1, 15, 0})).packed_group, 32);
  EXPECT_EQ(quantizer_rules("mxfp4", false, rules_for({5, 23, 0}, {1, 15, 0})).packed_group, 2);
  EXPECT_FALSE(quantizer_rules("bitsandbytes_4bit", false, rules_for({4, 30, 2}, {0, 20, 3})).reserves_room);
  EXPECT_TRUE(quantizer_rules("bitsandbytes_4bit", false, rules_for({4, 33, 0}, {0, 23, 0})).reserves_room);
  EXPECT_EQ(quantizer_rules("of tomorrow", false, five).refuses, Refuses::never);
}

TEST(Rules, CachesByRelease) {
  EXPECT_FALSE(cache_rules_for({4, 55, 4}).window_caps);
  EXPECT_TRUE(cache_rules_for({4, 57, 6}).window_caps);
  EXPECT_FALSE(cache_rules_for({5, 10, 0}).latent_kept);
  EXPECT_TRUE(cache_rules_for({5, 16, 0}).latent_kept);
  EXPECT_FALSE(cache_rules_for({4, 40, 2}).can_be_offloaded);
  EXPECT_TRUE(cache_rules_for({4, 44, 2}).can_be_offloaded);
}

TEST(Rules, LoadingByRelease) {
  EXPECT_TRUE(rules_for({4, 49, 0}, {1, 4, 0}).no_split_required);
  EXPECT_FALSE(rules_for({4, 50, 0}, {1, 5, 2}).no_split_required);
  EXPECT_TRUE(rules_for({4, 31, 0}, {0, 21, 0}).dispatch_needs_offload_folder);
  EXPECT_FALSE(rules_for({4, 32, 1}, {0, 22, 0}).dispatch_needs_offload_folder);
  EXPECT_FALSE(rules_for({5, 3, 0}, {1, 12, 0}).compares_duplicates);
  EXPECT_TRUE(rules_for({5, 4, 0}, {1, 13, 0}).compares_duplicates);
  EXPECT_TRUE(rules_for({5, 12, 1}, {1, 14, 0}).compares_duplicates_on_disk);
  EXPECT_FALSE(rules_for({5, 13, 0}, {1, 14, 0}).compares_duplicates_on_disk);
  EXPECT_FALSE(rules_for({5, 12, 1}, {1, 14, 0}).dispatches_disk_always);
  EXPECT_TRUE(rules_for({5, 13, 0}, {1, 14, 0}).dispatches_disk_always);
}

TEST(Rules, DefaultDtypeAndPicklesByRelease) {
  EXPECT_FALSE(rules_for({4, 57, 6}, {}).default_dtype_is_auto);
  EXPECT_TRUE(rules_for({5, 0, 0}, {}).default_dtype_is_auto);
  EXPECT_FALSE(rules_for({4, 51, 3}, {}).pickle_needs_torch);
  EXPECT_EQ(rules_for({4, 53, 3}, {}).pickle_needs_torch, (kb::Release{2, 6, 0}));
}

std::string told(OneDevice rule, MapState state, const ValueMap& map) {
  const std::optional<LibraryError> error = one_device_refusal(rule, state, map);
  return error ? error->type + ": " + error->message : "";
}

TEST(Rules, SinqTakesOneDevice) {
  const DeviceValue gpu = DeviceValue::of_number(0);
  const DeviceValue cpu = DeviceValue::of_text("cpu");
  EXPECT_EQ(told(OneDevice::sinq, MapState::map, {{"", gpu}}), "");
  EXPECT_EQ(told(OneDevice::sinq, MapState::map, {{"a", cpu}, {"b", cpu}}), "");
  EXPECT_EQ(told(OneDevice::sinq, MapState::strategy, {}), "");
  EXPECT_EQ(told(OneDevice::sinq, MapState::map, {{"a", gpu}, {"b", cpu}}),
            "TypeError: '<' not supported between instances of 'str' and 'int'");
  EXPECT_EQ(told(OneDevice::sinq, MapState::map, {{"a", gpu}, {"b", DeviceValue::of_torch("cpu")}}),
            "TypeError: '<' not supported between instances of 'torch.device' and 'int'");
  EXPECT_EQ(told(OneDevice::sinq, MapState::map, {{"a", DeviceValue::of_text("disk")}, {"b", cpu}}),
            "RuntimeError: SinqHfQuantizer: multi-GPU device_map detected, but SINQ currently supports only a single "
            "CUDA device. Got ['cpu', 'disk']. Please use device_map=None.");
  EXPECT_EQ(told(OneDevice::sinq, MapState::map, {{"a", DeviceValue::of_number(1)}, {"b", gpu}}),
            "RuntimeError: SinqHfQuantizer: multi-GPU device_map detected, but SINQ currently supports only a single "
            "CUDA device. Got [0, 1]. Please use device_map=None.");
}

TEST(Rules, Nvfp4TakesOneCudaDevice) {
  const DeviceValue gpu = DeviceValue::of_number(0);
  const std::string offload = "ValueError: NVFP4 quantization does not support CPU or disk offload.";
  EXPECT_EQ(told(OneDevice::nvfp4, MapState::map, {{"", gpu}}), "");
  EXPECT_EQ(told(OneDevice::nvfp4, MapState::map, {{"a", gpu}, {"b", DeviceValue::of_text("cuda:0")}}), "");
  EXPECT_EQ(told(OneDevice::nvfp4, MapState::not_given, {}),
            "ValueError: NVFP4 quantization requires a CUDA `device_map`.");
  EXPECT_EQ(told(OneDevice::nvfp4, MapState::strategy, {}), offload);
  EXPECT_EQ(told(OneDevice::nvfp4, MapState::map, {{"a", gpu}, {"b", DeviceValue::of_text("cpu")}}), offload);
  EXPECT_EQ(told(OneDevice::nvfp4, MapState::map, {{"a", gpu}, {"b", DeviceValue::of_number(1)}}),
            "ValueError: NVFP4 quantization currently supports one CUDA device. Tensor parallelism and multi-device "
            "`device_map` configurations are not supported yet.");
}

}  // namespace
}  // namespace whyfail::fixer
