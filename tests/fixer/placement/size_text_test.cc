// Budget strings by release.
#include <gtest/gtest.h>

#include "fixer/placement/place.h"

namespace whyfail::fixer {
namespace {

std::string read(const std::string& text, const kb::Release& accelerate) {
  const auto result = budget_bytes(text, rules_for({4, 44, 2}, accelerate));
  if (const std::uint64_t* bytes = std::get_if<std::uint64_t>(&result)) return std::to_string(*bytes);
  return std::get<LibraryError>(result).type;
}

constexpr kb::Release kNow{1, 15, 0};

TEST(SizeText, UnitsAreBinaryOrDecimalOrBits) {
  EXPECT_EQ(read("10GiB", kNow), "10737418240");
  EXPECT_EQ(read("10gib", kNow), "10737418240");
  EXPECT_EQ(read("10GB", kNow), "10000000000");
  EXPECT_EQ(read("10gb", kNow), "1250000000");
  EXPECT_EQ(read("10Gb", kNow), "1250000000");
  EXPECT_EQ(read("1.5KiB", kNow), "1536");
  EXPECT_EQ(read("1MB", kNow), "1000000");
}

TEST(SizeText, NumbersAreWhatPythonReads) {
  EXPECT_EQ(read(" 1_000 MB", kNow), "1000000000");
  EXPECT_EQ(read("1e-3GB", kNow), "1000000");
  EXPECT_EQ(read("+.5KB", kNow), "500");
  EXPECT_EQ(read("\xEF\xBC\x91GB", kNow), "1000000000");  // FULLWIDTH DIGIT ONE
  EXPECT_EQ(read("1__0GB", kNow), "ValueError");
  EXPECT_EQ(read("0x10GB", kNow), "ValueError");
  EXPECT_EQ(read("nanGB", kNow), "ValueError");
  EXPECT_EQ(read("inf GB", kNow), "OverflowError");
  EXPECT_EQ(read("1e400GB", kNow), "OverflowError");
  EXPECT_EQ(read("-1GB", kNow), "ValueError");
  EXPECT_EQ(read("", kNow), "ValueError");
  EXPECT_EQ(read("GB", kNow), "ValueError");
  EXPECT_EQ(read("20", kNow), "ValueError");
  EXPECT_EQ(read("20 gigs", kNow), "ValueError");
}

TEST(SizeText, ReleasesDiffer) {
  EXPECT_EQ(read("1.5GiB", {0, 21, 0}), "ValueError");
  EXPECT_EQ(read("1.5GiB", {0, 22, 0}), "1610612736");
  EXPECT_EQ(read("0GB", {0, 20, 3}), "0");
  EXPECT_EQ(read("0GB", {0, 27, 2}), "ValueError");
  EXPECT_EQ(read("0GB", {0, 28, 0}), "0");
}

TEST(SizeText, MessagesNameTheText) {
  const auto result = budget_bytes("20 gigs", rules_for({4, 44, 2}, kNow));
  EXPECT_EQ(std::get<LibraryError>(result).message,
            "`size` 20 gigs is not in a valid format. Use an integer for bytes, or a string with an unit (like "
            "'5.0GB').");
}

}  // namespace
}  // namespace whyfail::fixer
