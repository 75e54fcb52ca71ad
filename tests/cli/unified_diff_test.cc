// Diffs are what patch reads: hunks with context, missing last line ends said.
#include "cli/unified_diff.h"

#include <gtest/gtest.h>

namespace whyfail::cli {
namespace {

TEST(UnifiedDiff, NothingForTheSame) { EXPECT_EQ(unified_diff("a\n", "a\n", "x"), ""); }

TEST(UnifiedDiff, OneLineWithItsContext) {
  EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "s.py"),
            "--- a/s.py\n+++ b/s.py\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, FarChangesAreTwoHunks) {
  std::string before;
  for (int i = 1; i <= 30; ++i) before += std::to_string(i) + "\n";
  std::string after = before;
  after.replace(after.find("\n3\n"), 3, "\nthree\n");
  after.replace(after.find("\n25\n"), 4, "\n25\n25b\n");
  const std::string diff = unified_diff(before, after, "s.py");
  EXPECT_NE(diff.find("@@ -1,6 +1,6 @@\n"), std::string::npos) << diff;
  EXPECT_NE(diff.find("@@ -23,6 +23,7 @@\n"), std::string::npos) << diff;
}

TEST(UnifiedDiff, MissingLastLineEndIsSaid) {
  EXPECT_EQ(unified_diff("a", "b", "s"),
            "--- a/s\n+++ b/s\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n");
}

TEST(UnifiedDiff, FromAndToNothing) {
  EXPECT_EQ(unified_diff("", "a\n", "s"), "--- a/s\n+++ b/s\n@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(unified_diff("a\n", "", "s"), "--- a/s\n+++ b/s\n@@ -1 +0,0 @@\n-a\n");
}

}  // namespace
}  // namespace whyfail::cli
