// docs/coverage.md is what the build writes.
#include "kb/build/coverage.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "kb/knowledge_base.h"

namespace whyfail::kb {
namespace {

TEST(Coverage, ThePageIsUpToDate) {
  std::ifstream file(WHYFAIL_COVERAGE, std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(page, coverage_text(KnowledgeBase::shipped().database()))
      << "write it again: whyfail-kb-build --coverage data docs/coverage.md";
}

TEST(Coverage, CountsWhatIsThere) {
  Database database = Database::in_memory();
  database.execute(
      "CREATE TABLE failure (id, severity, file); CREATE TABLE pattern (id, failure, package, releases);"
      "CREATE TABLE sample (pattern, kind); CREATE TABLE package_release (package, position, release);"
      "INSERT INTO failure VALUES ('a', 'error', 'failures/1c/a.toml'), ('b', 'warning', 'failures/zz/b.toml');"
      "INSERT INTO pattern VALUES (1, 'a', 'accelerate', '1.0.0'), (2, 'a', '', ''), (3, 'b', 'accelerate', '');"
      "INSERT INTO sample VALUES (1, 'sample'), (1, 'near'), (3, 'sample'), (3, 'sample');"
      "INSERT INTO package_release VALUES ('accelerate', 0, '0.9.0'), ('accelerate', 1, '1.0.0');");
  const std::string page = coverage_text(database);
  EXPECT_NE(page.find("**2 entries** (1 of them warnings) with **3 wordings**, 1 of which"), std::string::npos) << page;
  EXPECT_NE(page.find("| accelerate | 2 | 0.9.0 | 1.0.0 | 2 |"), std::string::npos) << page;
  EXPECT_NE(page.find("| 1c | offload folders | 1 | 2 | 1 | 1 | 1 |"), std::string::npos) << page;
  EXPECT_NE(page.find("| zz |  | 1 | 1 | 0 | 2 | 0 |"), std::string::npos) << page;
}

}  // namespace
}  // namespace whyfail::kb
