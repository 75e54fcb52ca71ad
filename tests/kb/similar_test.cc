// What people say without pasting the message: paraphrases, search phrases and nine languages beside English.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "kb/code_points.h"
#include "kb/knowledge_base.h"

namespace whyfail::kb {
namespace {

constexpr std::size_t most = 3;

std::vector<std::string> parts(const std::string& text, char sign) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, sign);) found.push_back(part);
  return found;
}

std::string ids(const std::vector<Similar>& similar) {
  std::string text;
  for (const Similar& entry : similar) text += entry.id + " ";
  return text;
}

TEST(Similar, PhrasesFindTheirEntryAndUnrelatedOnesNone) {
  const KnowledgeBase base = KnowledgeBase::shipped();
  std::ifstream file(WHYFAIL_PHRASES);
  std::size_t phrases = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> row = parts(line, '|');
    ASSERT_EQ(row.size(), 3U) << line;
    const std::vector<Similar> found = base.similar(row[1]);
    ++phrases;
    EXPECT_LE(found.size(), most) << line;
    if (row[2] == "none") {
      EXPECT_TRUE(found.empty()) << row[1] << " gives " << ids(found);
      continue;
    }
    const std::vector<std::string> wanted = parts(row[2], ';');
    EXPECT_TRUE(std::any_of(
        found.begin(), found.end(),
        [&](const Similar& entry) { return std::find(wanted.begin(), wanted.end(), entry.id) != wanted.end(); }))
        << row[1] << " gives " << ids(found) << "and not " << row[2];
  }
  EXPECT_GE(phrases, 100U);
}

TEST(Similar, EntriesThatPhrasesNameAreThere) {
  const KnowledgeBase base = KnowledgeBase::shipped();
  std::ifstream file(WHYFAIL_PHRASES);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> row = parts(line, '|');
    if (row.size() != 3 || row[2] == "none" || line.front() == '#') continue;
    for (const std::string& id : parts(row[2], ';')) EXPECT_TRUE(base.has(id)) << id;
  }
}

TEST(Similar, SearchUnderstandsTheSameWords) {
  const KnowledgeBase base = KnowledgeBase::shipped();
  for (const char* words : {"显存不足", "Grafikspeicher reicht nicht", "не хватает видеопамяти"}) {
    const std::vector<Similar> found = base.search(words);
    ASSERT_FALSE(found.empty()) << words;
    EXPECT_EQ(found.front().id, "cuda-out-of-memory") << words;
  }
}

TEST(CodePoints, CaseAccentsAndWidthDoNotCount) {
  EXPECT_EQ(folded("Mémoire  ÜBER\tПамять Ё"), U"memoire uber память е");
  EXPECT_EQ(folded("ＧＰＵ　メモリ"), U"gpu メモリ");
}

TEST(CodePoints, DamagedBytesDoNoHarm) {
  EXPECT_EQ(folded("a\xff"
                   "b\xe3\x83"),
            U"a\uFFFDb\uFFFD\uFFFD");
  const KnowledgeBase base = KnowledgeBase::shipped();
  EXPECT_TRUE(base.similar(std::string(5000, '\xe3')).empty());
  EXPECT_TRUE(base.similar(std::string(5000, '"')).empty());
}

}  // namespace
}  // namespace whyfail::kb
