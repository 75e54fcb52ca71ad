// CUDA_VISIBLE_DEVICES and its relatives.
#include "probes/visible_devices.h"

#include <gtest/gtest.h>

namespace whyfail::probes {
namespace {

const std::vector<VisibleCard> four = {
    {"GPU-1a2b3c", {}, false}, {"GPU-8f3c11", {}, false}, {"GPU-1a2b9e", {}, false}, {"GPU-5d00aa", {}, false}};
const std::vector<std::size_t> in_order = {0, 1, 2, 3};

std::vector<std::size_t> visible(std::string_view variable, const std::vector<std::size_t>& order = in_order) {
  std::vector<std::size_t> cards;
  for (const Chosen& choice : visible_to_cuda(variable, four, order)) cards.push_back(choice.card.value_or(99));
  return cards;
}

using Cards = std::vector<std::size_t>;

TEST(CudaVisibleDevices, IndicesInTheOrderNamed) {
  EXPECT_EQ(visible("2, 0"), (Cards{2, 0}));
  EXPECT_EQ(visible(" 3 "), (Cards{3}));
  EXPECT_EQ(visible("0,1", {3, 1, 0, 2}), (Cards{3, 1}));
}

TEST(CudaVisibleDevices, EndsAtTheFirstInvalidToken) {
  EXPECT_EQ(visible("1,7,0"), (Cards{1}));
  EXPECT_EQ(visible("-1"), Cards{});
  EXPECT_EQ(visible("0,-1,1"), (Cards{0}));
  EXPECT_EQ(visible(""), Cards{});
  EXPECT_EQ(visible("NoDevFiles"), Cards{});
  EXPECT_EQ(visible("1,,2"), (Cards{1}));
  EXPECT_EQ(visible("99999999999999999999999"), Cards{});
}

TEST(CudaVisibleDevices, UuidsAndBeginningsOfThem) {
  EXPECT_EQ(visible("GPU-5d00,GPU-1a2b9,GPU-8f3c11"), (Cards{3, 2, 1}));
  EXPECT_EQ(visible("GPU-8f,GPU-1a2b"), (Cards{1}));  // fits two
  EXPECT_EQ(visible("GPU-ffff,0"), Cards{});
}

TEST(CudaVisibleDevices, ACardNamedTwiceLeavesNone) {
  EXPECT_EQ(visible("0,0"), Cards{});
  EXPECT_EQ(visible("0,1,GPU-1a2b3c"), Cards{});
  EXPECT_EQ(visible("0,9,0"), (Cards{0}));
  EXPECT_EQ(visible("2,2", {}), Cards{});
}

TEST(CudaVisibleDevices, WithoutAnOrderAnIndexNamesNoCard) {
  EXPECT_EQ(visible("1,GPU-5d00", {}), (Cards{99, 3}));
  EXPECT_EQ(visible("4", {}), Cards{});
}

const std::vector<VisibleCard> with_mig = {
    {"GPU-aa", {{"MIG-11", "MIG-GPU-aa/1/0"}, {"MIG-12", "MIG-GPU-aa/5/0"}}, true}, {"GPU-bb", {}, false}};

TEST(CudaVisibleDevices, OnlyOneMigInstanceIsVisible) {
  using Choices = std::vector<Chosen>;
  const auto choose = [](std::string_view text) { return visible_to_cuda(text, with_mig, {0, 1}); };
  EXPECT_EQ(choose("MIG-12,MIG-11,1"), (Choices{{0, 1, std::nullopt}}));
  EXPECT_EQ(choose("MIG-GPU-aa/5/0"), (Choices{{0, 1, std::nullopt}}));
  EXPECT_EQ(choose("MIG-1"), Choices{});                      // fits two
  EXPECT_EQ(choose("0,1"), (Choices{{0, 0, std::nullopt}}));  // a card with MIG stands for its first instance
  EXPECT_EQ(choose("GPU-a"), (Choices{{0, 0, std::nullopt}}));
  EXPECT_EQ(choose("1"), (Choices{{1, std::nullopt, std::nullopt}}));
}

TEST(VisibleIndices, EndAtTheFirstInvalidToken) {
  EXPECT_EQ(visible_indices("2,0", 3, {}), (Cards{2, 0}));
  EXPECT_EQ(visible_indices("1,3,0", 3, {}), (Cards{1}));
  EXPECT_EQ(visible_indices("GPU-b,0", 2, {"GPU-a", "GPU-b"}), (Cards{1, 0}));
  EXPECT_EQ(visible_indices("GPU-b", 2, {}), Cards{});
  EXPECT_EQ(visible_indices("", 2, {}), Cards{});
}

}  // namespace
}  // namespace whyfail::probes
