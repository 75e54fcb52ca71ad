// The build of a knowledge base: what it makes of good data, and what it says against bad data.
#include "kb/build/build.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kb/knowledge_base.h"
#include "matchers/reading.h"

namespace whyfail::kb {
namespace {

// A data folder of its own, gone afterwards.
class DataFolder {
 public:
  DataFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "whyfail-data-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;
  ~DataFolder() { std::filesystem::remove_all(path_); }

  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file, std::ios::binary) << text;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string entry(const std::string& id, const std::string& wording) {
  return "id = \"" + id +
         "\"\ntitle = \"A title\"\nseverity = \"error\"\nwhat = \"What.\"\nwhy = \"Why.\"\nadvice = \"Do.\"\n"
         "[[source]]\ntitle = \"library 1.0, file.py\"\n" +
         wording;
}

std::string wording(const std::string& text, const std::string& sample, const std::string& more = "") {
  return "[[wording]]\ntext = \"" + text + "\"\nexceptions = [\"ValueError\"]\nsamples = [\"" + sample + "\"]\n" + more;
}

// All findings as "file:line: reason" lines.
std::string findings(const DataFolder& folder) {
  std::string text;
  for (const Finding& finding : build_image(folder.path()).findings) {
    text += finding.file + ":" + std::to_string(finding.line) + ": " + finding.reason + "\n";
  }
  return text;
}

testing::AssertionResult complains(const DataFolder& folder, const std::string& part) {
  const std::string text = findings(folder);
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no '" << part << "' in:\n" << text;
}

TEST(Build, GoodDataGivesAnImageThatAnswers) {
  const DataFolder folder;
  folder.write("failures/x/one.toml",
               entry("one", "[[recipe]]\nstrategy = \"offload-folder\"\nfolder = \"offload\"\n" +
                                wording("The folder {name} is full", "ValueError: The folder /tmp is full",
                                        "package = \"library\"\nreleases = [\"1.0.0..1.2.0\", \"2.0.0..2.0.0\"]\n")));
  const BuildResult built = build_image(folder.path());
  EXPECT_EQ(findings(folder), "");
  EXPECT_EQ(built.failures, 1);
  EXPECT_EQ(built.wordings, 1);
  folder.write("image.kb", built.image);
  const KnowledgeBase base = KnowledgeBase::open(folder.path() / "image.kb");
  const matchers::Reading reading = matchers::read_paste("ValueError: The folder /data is full", base);
  ASSERT_EQ(reading.failures.size(), 1U);
  EXPECT_EQ(reading.failures[0].captures.at("name"), "/data");
  EXPECT_EQ(base.versions_of(reading.failures[0].pattern), "library 1.0.0 to 1.2.0, 2.0.0");
  const auto failure = base.failure("one");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->sources.front().title, "library 1.0, file.py");
  ASSERT_EQ(failure->recipes.size(), 1U);
  EXPECT_EQ(failure->recipes[0].settings.front().second, "offload");
  EXPECT_FALSE(base.failure("two"));
  EXPECT_EQ(base.wordings("one").front().samples.size(), 1U);
}

TEST(Build, AFolderThatIsNoneIsSaid) {
  const BuildResult built = build_image("/nowhere/at/all");
  ASSERT_EQ(built.findings.size(), 1U);
  EXPECT_EQ(built.findings.front().reason, "is no folder; give the folder that holds failures/");
  EXPECT_TRUE(built.image.empty());
}

TEST(Build, AFolderWithoutEntriesIsSaid) {
  const DataFolder folder;
  folder.write("notes.txt", "x");
  EXPECT_TRUE(complains(folder, "holds no folder failures/"));
  folder.write("failures/x/one.tml", entry("one", ""));
  EXPECT_TRUE(complains(folder, "holds no entry; an entry is a file whose name ends in .toml"));
}

TEST(Build, TheLineOfASampleIsItsOwn) {
  const DataFolder folder;
  folder.write("failures/one.toml",
               entry("one",
                     "[[wording]]\ntext = \"The disk {name} is full\"\nexceptions = [\"OSError\"]\nsamples = [\n"
                     "  \"OSError: The disk a is full\",\n  \"ValueError: The disk b is full\",\n]\n"));
  EXPECT_TRUE(complains(folder,
                        "failures/one.toml:14: the sample 'ValueError: The disk b is full' is not matched: the "
                        "class ValueError is not among OSError"));
}

TEST(Build, MistakesSayWhatToWrite) {
  const DataFolder folder;
  folder.write(
      "failures/one.toml",
      entry("one", wording("The disk is full", "ValueError: The disk is full",
                           "package = \"library\"\nreleases = [\n\"1.0.0..2.0.0\",\n\"3.1..3.0\",\n\"latest\"]\n"
                           "also = [\"other\"]\n")));
  folder.write("failures/two.toml", entry("two", wording("The tape is full", "ValueError: The tape is full",
                                                         "releases = [\"1.0.0..2.0.0\"]\nsample = [\"x\"]\n")));
  folder.write("failures/three.toml", "id = \"three\"\nwhy = \"\xff\"\n");
  folder.write("failures/four.toml", entry("four", ""));
  folder.write("failures/five.toml", entry("five", wording("The drum {n} is full", "ValueError: The drum a is full",
                                                           "captures = { n = \"digits\" }\n")));
  EXPECT_TRUE(complains(folder, "failures/one.toml:16: '3.1..3.0' is no range of releases; write FIRST..LAST"));
  EXPECT_TRUE(complains(folder, "failures/one.toml:17: 'latest' is no range of releases"));
  EXPECT_TRUE(complains(folder, "failures/one.toml:18: 'other' is no package with its releases, like"));
  EXPECT_TRUE(complains(folder, "failures/two.toml:13: has releases without 'package'; add package ="));
  EXPECT_TRUE(complains(folder, "failures/two.toml:14: has the unknown key 'sample'; known here: text, pattern,"));
  EXPECT_TRUE(complains(folder, "failures/three.toml:2: is no TOML: "));
  EXPECT_TRUE(complains(folder, "failures/four.toml:1: has no wording; add [[wording]]"));
  EXPECT_TRUE(complains(folder, "failures/five.toml:13: capture 'n' has no kind; one of word, quoted"));
}

TEST(Build, RecipesAreHandedOnWithTheirLines) {
  const DataFolder folder;
  folder.write("failures/one.toml", entry("one", "[[recipe]]\nstrategy = \"fly\"\n" +
                                                     wording("The disk is full", "ValueError: The disk is full")));
  const BuildResult built = build_image(folder.path());
  ASSERT_EQ(built.recipes.size(), 1U);
  EXPECT_EQ(built.recipes[0].file, "failures/one.toml");
  EXPECT_EQ(built.recipes[0].line, 9);
  EXPECT_EQ(built.recipes[0].strategy, "fly");
}

TEST(Build, TheVocabularyIsReadAndChecked) {
  const DataFolder folder;
  folder.write("failures/one.toml", entry("one", wording("The disk is full", "ValueError: The disk is full")));
  folder.write("vocabulary.toml", "filler = [\"der\"]\n[[word]]\nmeans = \"disk\"\nsaid = [\"Platte*\"]\n");
  EXPECT_EQ(findings(folder), "");
  folder.write("image.kb", build_image(folder.path()).image);
  const KnowledgeBase base = KnowledgeBase::open(folder.path() / "image.kb");
  ASSERT_EQ(base.search("Platten").size(), 1U);
  EXPECT_TRUE(base.search("der").empty());
  folder.write("vocabulary.toml", "[[word]]\nsaid = [\"x\"]\n[[word]]\nmeans = \"disk\"\n");
  EXPECT_TRUE(complains(folder, "vocabulary.toml:1: a [[word]] needs means"));
  EXPECT_TRUE(complains(folder, "vocabulary.toml:3: a [[word]] needs said"));
}

TEST(Build, EveryMistakeIsNamedWithItsLine) {
  const DataFolder folder;
  folder.write("failures/one.toml", entry("other", ""));
  folder.write("failures/two.toml", "id = \"two\"\ntitle = ");
  folder.write("failures/three.toml", entry("three", "color = 1\n"));
  folder.write("failures/four.toml", "id = \"four\"\nseverity = \"bad\"\n");
  folder.write("failures/five.toml", entry("five", "[[wording]]\ntext = \"A {hole\"\nsamples = [\"x\"]\n"));
  folder.write("failures/six.toml", entry("six", "[[wording]]\ntext = \"No sample here\"\n"));
  EXPECT_TRUE(complains(folder, "failures/one.toml:1: the id 'other' is not the file's name"));
  EXPECT_TRUE(complains(folder, "failures/two.toml:2: "));
  EXPECT_TRUE(complains(folder, "failures/three.toml:9: has the unknown key 'color'"));
  EXPECT_TRUE(complains(folder, "failures/four.toml:1: lacks 'title'; add title ="));
  EXPECT_TRUE(complains(folder, "failures/four.toml:2: 'severity' is error or warning"));
  EXPECT_TRUE(complains(folder, "failures/four.toml:1: names no source"));
  EXPECT_TRUE(complains(folder, "failures/five.toml:9: the wording has a '{' without '}'"));
  EXPECT_TRUE(complains(folder, "failures/six.toml:9: the wording has no sample"));
}

TEST(Build, SamplesAreJudged) {
  const DataFolder folder;
  folder.write("failures/one.toml", entry("one", wording("The folder is full", "ValueError: The folder is empty")));
  folder.write("failures/two.toml", entry("two", wording("The disk {name} is full", "ValueError: The disk a is full",
                                                         "near = [\"ValueError: The disk b is full\"]\n")));
  EXPECT_TRUE(complains(folder,
                        "failures/one.toml:12: the sample 'ValueError: The folder is empty' is not matched: the fixed "
                        "words of the wording do not stand in it"));
  EXPECT_TRUE(complains(folder, "failures/two.toml:13: the near text 'ValueError: The disk b is full' is matched"));
}

TEST(Build, TwoEntriesDoNotClaimOneSample) {
  const DataFolder folder;
  folder.write("failures/one.toml", entry("one", wording("The disk {name} is full", "ValueError: The disk a is full")));
  folder.write("failures/two.toml", entry("two", wording("The disk a is full", "ValueError: The disk a is full")));
  EXPECT_TRUE(complains(folder, "is one of 'one', too"));
  EXPECT_TRUE(complains(folder, "is taken for 'two'"));
}

TEST(Build, ADeadWordingIsFound) {
  const DataFolder folder;
  folder.write("failures/one.toml", entry("one", wording("The disk {name} is full", "ValueError: The disk a is full") +
                                                     wording("The disk a is full", "ValueError: The disk a is full")));
  EXPECT_TRUE(complains(folder, "failures/one.toml:12: another wording of the entry answers all samples of this one"));
}

TEST(Build, AnExpensiveExpressionIsRefused) {
  const DataFolder folder;
  folder.write(
      "failures/one.toml",
      entry("one", "[[wording]]\npattern = '''message (?:[a-z]{0,200}x){0,4}'''\nsamples = [\"message x\"]\n"));
  EXPECT_TRUE(complains(folder, "failures/one.toml:9: the wording is expensive to compile"));
}

TEST(Build, AnIdIsGivenOnce) {
  const DataFolder folder;
  folder.write("failures/a/one.toml", entry("one", ""));
  folder.write("failures/b/one.toml", entry("one", ""));
  EXPECT_TRUE(complains(folder, "failures/b/one.toml:1: the id 'one' is that of failures/a/one.toml"));
}

}  // namespace
}  // namespace whyfail::kb
