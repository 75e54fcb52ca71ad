// The shipped image, and files that are none.
#include "kb/knowledge_base.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "kb/build/build.h"
#include "kb/database.h"
#include "matchers/anchors.h"
#include "matchers/reading.h"

namespace whyfail::kb {
namespace {

class ImageFile {
 public:
  explicit ImageFile(const std::string& bytes) {
    std::string name = (std::filesystem::temp_directory_path() / "whyfail-image-XXXXXX").string();
    ::close(::mkstemp(name.data()));
    path_ = name;
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ImageFile(const ImageFile&) = delete;
  ImageFile& operator=(const ImageFile&) = delete;
  ~ImageFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A small image for damaging.
const std::string& small_image() {
  static const std::string image = [] {
    std::string folder = (std::filesystem::temp_directory_path() / "whyfail-small-XXXXXX").string();
    ::mkdtemp(folder.data());
    std::filesystem::create_directories(folder + "/failures");
    std::ofstream(folder + "/failures/one.toml")
        << "id = \"one\"\ntitle = \"The disk is full\"\nseverity = \"error\"\nwhat = \"W.\"\nwhy = \"Y.\"\nadvice = "
           "\"A.\"\n[[source]]\ntitle = \"S\"\n[[wording]]\ntext = \"The disk {name} is full of weights\"\nsamples = "
           "[\"The disk a is full of weights\"]\n";
    std::string bytes = build_image(folder).image;
    std::filesystem::remove_all(folder);
    return bytes;
  }();
  return image;
}

std::string opening_error(const std::string& bytes) {
  const ImageFile file(bytes);
  try {
    KnowledgeBase::open(file.path());
  } catch (const KnowledgeBaseError& error) {
    return error.what();
  }
  return "";
}

TEST(Shipped, TheDataHasNoFindings) {
  for (const Finding& finding : build_image(WHYFAIL_SOURCE_DIR "/data").findings) {
    ADD_FAILURE() << finding.file << ":" << finding.line << ": " << finding.reason;
  }
}

TEST(Shipped, EveryEntryIsWhole) {
  const KnowledgeBase base = KnowledgeBase::shipped();
  const std::vector<FailureSummary> failures = base.failures();
  EXPECT_GE(failures.size(), 20U);
  for (const FailureSummary& summary : failures) {
    const auto failure = base.failure(summary.id);
    ASSERT_TRUE(failure) << summary.id;
    EXPECT_FALSE(failure->what.empty()) << summary.id;
    EXPECT_FALSE(failure->sources.empty()) << summary.id;
    EXPECT_EQ(base.wordings(summary.id).size(), static_cast<std::size_t>(summary.wordings)) << summary.id;
  }
  EXPECT_TRUE(matchers::is_anchor_filter(base.anchor_filter()));
}

TEST(Shipped, KnowsWhichReleasesSayAMessage) {
  const KnowledgeBase base = KnowledgeBase::shipped();
  const matchers::Reading reading = matchers::read_paste(
      "ValueError: The current `device_map` had weights offloaded to the disk. Please provide an `offload_folder` for "
      "them. Alternatively, make sure you have `safetensors` installed if the model you are using offers the weights "
      "in "
      "this format.",
      base);
  ASSERT_EQ(reading.failures.size(), 1U);
  EXPECT_EQ(reading.failures[0].failure, "offload-folder-required");
  EXPECT_EQ(base.versions_of(reading.failures[0].pattern).rfind("transformers 4.25.0 to 4.57.6", 0), 0U);
}

TEST(Similar, AParaphraseIsOfferedAndAnUnrelatedTextIsNot) {
  const KnowledgeBase base = KnowledgeBase::shipped();
  const std::vector<Similar> near = base.similar("weights offloaded to disk but no offload folder given");
  ASSERT_FALSE(near.empty());
  EXPECT_LE(near.size(), 3U);
  EXPECT_EQ(near.front().id, "offload-folder-required");
  EXPECT_TRUE(base.similar("how do I stream tokens to the browser with websockets").empty());
  EXPECT_TRUE(base.similar("").empty());
  EXPECT_FALSE(base.search("offload").empty());
}

TEST(Open, AFileThatIsNoKnowledgeBaseIsRefusedInOneLine) {
  for (const std::string& bytes : {std::string(), std::string("hello"), std::string(100000, 'x'),
                                   std::string("SQLite format 3\0", 16) + std::string(5000, '\0'),
                                   small_image().substr(0, 5000), small_image() + "x"}) {
    const std::string error = opening_error(bytes);
    EXPECT_NE(error.find("knowledge base"), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
  EXPECT_THROW(KnowledgeBase::open("/nowhere/x.kb"), KnowledgeBaseError);
  EXPECT_THROW(KnowledgeBase::open("/tmp"), KnowledgeBaseError);
}

// Everything that can be asked of an image; only KnowledgeBaseError may come out.
void ask_everything(const std::string& bytes) {
  const ImageFile file(bytes);
  try {
    const KnowledgeBase base = KnowledgeBase::open(file.path());
    matchers::read_paste("The disk a is full of weights", base);
    base.failure("one");
    base.failures();
    base.wordings("one");
    base.versions_of(1);
    base.size_template("llama", 4);
    base.architecture("llama");
    base.catalogue("gpt2");
    base.search("disk full");
    base.similar("the disk is full of weights today");
  } catch (const KnowledgeBaseError&) {
  }
}

TEST(Open, DamagedImagesNeverCrash) {
  std::uint64_t state = 7;
  const auto next = [&] { return state = state * 6364136223846793005ULL + 1442695040888963407ULL; };
  const std::size_t database = small_image().size() - 300000;
  for (int round = 0; round < 200; ++round) {
    std::string bytes = small_image();
    for (int hit = 0; hit < 8; ++hit) bytes[(next() >> 20U) % database] = static_cast<char>(next() >> 50U);
    ask_everything(bytes);
  }
}

TEST(Open, AnImageIsAnOrdinaryDatabase) {
  const ImageFile file(small_image());
  const KnowledgeBase base = KnowledgeBase::open(file.path());
  const Database database = Database::over(base.database_bytes());
  Statement query(database, "PRAGMA integrity_check");
  ASSERT_TRUE(query.step());
  EXPECT_EQ(query.text(0), "ok");
}

}  // namespace
}  // namespace whyfail::kb
