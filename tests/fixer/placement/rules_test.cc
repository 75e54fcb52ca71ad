// Changes come with the release that made them.
#include "fixer/placement/rules.h"

#include <gtest/gtest.h>

namespace whyfail::fixer {
namespace {

TEST(Rules, EnginesByRelease) {
  EXPECT_EQ(rules_for({4, 46, 3}, {1, 1, 1}).engine, Engine::size_first);
  EXPECT_EQ(rules_for({4, 46, 3}, {1, 2, 0}).engine, Engine::ties_first);
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
  EXPECT_EQ(quantizer_rules("fp8", true, rules_for({5, 11, 0}, {1, 14, 0})).refuses, Refuses::never);
  EXPECT_FALSE(quantizer_rules("bitsandbytes_4bit", false, rules_for({4, 30, 2}, {0, 20, 3})).reserves_room);
  EXPECT_TRUE(quantizer_rules("bitsandbytes_4bit", false, rules_for({4, 33, 0}, {0, 23, 0})).reserves_room);
  EXPECT_EQ(quantizer_rules("of tomorrow", false, five).refuses, Refuses::never);
}

}  // namespace
}  // namespace whyfail::fixer
