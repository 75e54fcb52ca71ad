// The command line: commands anywhere among the options, values that are not allowed, what help and the manual hold.
#include "cli/options.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace whyfail::cli {
namespace {

CommandLine read(std::initializer_list<const char*> words) {
  std::vector<const char*> arguments = {"whyfail"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  return read_command_line(static_cast<int>(arguments.size()), arguments.data());
}

TEST(CommandLine, NothingExplainsStandardInput) {
  const CommandLine line = read({});
  ASSERT_TRUE(line.options);
  EXPECT_EQ(line.options->command, "");
  EXPECT_TRUE(line.options->words.empty());
  EXPECT_EQ(line.options->format, Format::text);
}

TEST(CommandLine, CommandMayStandBehindOptions) {
  const CommandLine line = read({"--machine", "fix", "--json", "fix", "--trace", "t.txt", "--apply", "s.py"});
  ASSERT_TRUE(line.options) << line.text;
  EXPECT_EQ(line.options->command, "fix");
  EXPECT_EQ(line.options->machine, "fix");
  EXPECT_EQ(line.options->words, std::vector<std::string>{"s.py"});
  EXPECT_EQ(line.options->trace, "t.txt");
  EXPECT_TRUE(line.options->apply);
  EXPECT_EQ(line.options->format, Format::json);
}

TEST(CommandLine, FilesBehindTwoDashesAreNoCommands) {
  const CommandLine line = read({"--no-probe", "--", "fix", "--json"});
  ASSERT_TRUE(line.options) << line.text;
  EXPECT_EQ(line.options->command, "");
  EXPECT_EQ(line.options->words, (std::vector<std::string>{"fix", "--json"}));
}

TEST(CommandLine, RepeatableOptionsKeepTheirOrder) {
  const CommandLine line = read({"--kb", "a.db", "x.txt", "--kb=b.db", "--reserve", "0=2GiB", "--reserve", "cpu=1GiB"});
  ASSERT_TRUE(line.options) << line.text;
  EXPECT_EQ(line.options->kb_files, (std::vector<std::string>{"a.db", "b.db"}));
  EXPECT_EQ(line.options->reserve, (std::vector<std::string>{"0=2GiB", "cpu=1GiB"}));
  EXPECT_EQ(line.options->words, std::vector<std::string>{"x.txt"});
}

TEST(CommandLine, WrongUseIsStatus2) {
  for (const auto& words : {std::initializer_list<const char*>{"--no-such-option"},
                            {"--format", "yaml"},
                            {"--context", "many"},
                            {"fix"},
                            {"fix", "a.py", "b.py"},
                            {"plan"},
                            {"place"},
                            {"--machine"},
                            {"--prefer", "best"},
                            {"--batch", "0"}}) {
    const CommandLine line = read(words);
    EXPECT_FALSE(line.options) << *words.begin();
    EXPECT_EQ(line.status, 2) << *words.begin();
    EXPECT_FALSE(line.text.empty());
    EXPECT_EQ(line.text.find('\n'), std::string::npos) << line.text;
  }
}

TEST(CommandLine, HelpAndManualNameEveryOption) {
  const CommandLine help = read({"--help"});
  EXPECT_EQ(help.status, 0);
  for (const char* name :
       {"--json", "--format", "--machine", "--no-probe", "--transformers", "--accelerate", "--model", "--context",
        "--batch", "--reserve", "--prefer", "--color", "--quiet", "--version", "--kb"}) {
    EXPECT_NE(help.text.find(name), std::string::npos) << name;
  }
  EXPECT_NE(read({"fix", "--help"}).text.find("--apply"), std::string::npos);
  EXPECT_NE(manual_page().find("\\-\\-backup"), std::string::npos);
  EXPECT_EQ(read({"--version"}).text.substr(0, 8), "whyfail ");
}

}  // namespace
}  // namespace whyfail::cli
