// Cells of notebooks in every layout of their JSON, and files that must survive a failed write.
#include "cli/notebook.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/input.h"

namespace whyfail::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json cell(const Json& source, int count, bool failed = false) {
  Json outputs = Json::array();
  if (failed) outputs.push_back({{"output_type", "error"}, {"ename", "E"}});
  return {{"cell_type", "code"},
          {"execution_count", count},
          {"outputs", outputs},
          {"metadata", {{"source", "not the source"}}},
          {"source", source}};
}

Json notebook_of(const std::vector<Json>& cells) {
  return {{"metadata", {{"cells", "none"}}}, {"cells", cells}, {"nbformat", 4}};
}

TEST(Notebook, OneCellChangesAndNothingElse) {
  const Json before = notebook_of({cell({"a = 1\n", "b = \"{[,\\\"\"\n"}, 1), cell({"x(\n", "  y)\n", "z"}, 2, true)});
  Json after = before;
  after["cells"][1]["source"] = {"x(\n", "  \xC3\xA4)\n", "z"};
  for (const int indent : {-1, 0, 1, 2, 4}) {
    const auto notebook = Notebook::read(before.dump(indent));
    ASSERT_TRUE(notebook);
    ASSERT_EQ(notebook->cells().size(), 2U);
    EXPECT_EQ(notebook->cells()[1].source, "x(\n  y)\nz");
    const std::string changed = notebook->with_source(1, "x(\n  \xC3\xA4)\nz");
    EXPECT_EQ(Json::parse(changed), after) << changed;
    if (indent != -1) {
      EXPECT_EQ(changed, after.dump(indent));
    }
  }
}

TEST(Notebook, ASourceMayBeOneText) {
  const auto notebook = Notebook::read(notebook_of({cell("a\nb", 7)}).dump(1));
  ASSERT_TRUE(notebook);
  EXPECT_EQ(Json::parse(notebook->with_source(0, "a\nc"))["cells"][0]["source"], "a\nc");
}

TEST(Notebook, LinesThatStayKeepTheirEscapes) {
  const auto with_call = [](const std::string& call) {
    return R"x({"cells": [{"cell_type": "code", "source": ["s = '\u00e4'\n", ")x" + call +
           R"x("], "outputs": []}], "nbformat": 4})x";
  };
  const auto notebook = Notebook::read(with_call("f(1)"));
  ASSERT_TRUE(notebook);
  EXPECT_EQ(notebook->with_source(0, "s = '\xC3\xA4'\nf(2)"), with_call("f(2)"));
}

TEST(Notebook, CellsAreFoundByTheNamesOfTracebacks) {
  const auto notebook = Notebook::read(notebook_of({cell("a", 3), cell("b", 4, true), cell("c", 3)}).dump());
  ASSERT_TRUE(notebook);
  for (const char* name : {"Cell In[4]", "Cell In [4]", "Input In [4]", "<ipython-input-4-0a1b2c3d>",
                           "/tmp/ipykernel_12/3456.py", "C:\\Temp\\ipykernel_1\\2.py"}) {
    EXPECT_EQ(notebook->cell_named(name), 1U) << name;
  }
  // Two cells carry the number 3: neither is meant for certain.
  for (const char* name : {"Cell In[3]", "Cell In[9]", "Cell In[", "run.py", ""}) {
    EXPECT_FALSE(notebook->cell_named(name)) << name;
  }
}

TEST(Notebook, WhatIsNoneIsRefused) {
  for (const char* text : {"", "[]", "{}", "{\"cells\": 3}", "{\"cells\": [", "print(1)", "\xff"}) {
    EXPECT_FALSE(Notebook::read(text)) << text;
  }
  const auto odd =
      Notebook::read("{\"cells\": [3, null, {}, {\"cell_type\": \"code\"}, {\"cell_type\": \"code\", \"source\": 5}]}");
  ASSERT_TRUE(odd);
  ASSERT_EQ(odd->cells().size(), 1U);
  EXPECT_EQ(odd->cells().front().source, "");
}

// A write that fails half way, as on a full disk: a limit on the size of files gives the same error from write().
TEST(ReplaceFile, AFailedWriteLeavesTheOldFileAndNothingElse) {
  const fs::path folder = fs::path(testing::TempDir()) / ("replace_" + std::to_string(::getpid()));
  fs::create_directory(folder);
  const fs::path file = folder / "run.py";
  const std::string before = "print('as it was')\n";
  std::ofstream(file) << before;
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      replace_file(file.string(), std::string(5000, 'x'));
    } catch (const Failure&) {
      ::_exit(7);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  std::ifstream stream(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace whyfail::cli
