// Frames of real tracebacks tell the release; edited source fits none; arguments and accelerate by release.
#include "kb/releases.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kb/source_hash.h"

namespace whyfail::kb {
namespace {

const KnowledgeBase& shipped() {
  static const KnowledgeBase kb = KnowledgeBase::shipped();
  return kb;
}

Release release(std::string_view text) { return Release::parse(text).value(); }

std::vector<std::string> texts(const std::vector<Release>& releases) {
  std::vector<std::string> texts;
  for (const Release& each : releases) texts.push_back(each.text());
  return texts;
}

using Texts = std::vector<std::string>;

// transformers 4.51.3, a model offloaded to the disk without a folder.
std::vector<FrameSeen> frames_of_4_51_3() {
  return {
      {"transformers/models/auto/auto_factory.py", 571, "from_pretrained", "return model_class.from_pretrained("},
      {"transformers/modeling_utils.py", 279, "_wrapper", "    return func(*args, **kwargs)"},
      {"transformers/modeling_utils.py", 4399, "from_pretrained", ") = cls._load_pretrained_model("},
      {"transformers/modeling_utils.py", 4736, "_load_pretrained_model", "raise ValueError("},
  };
}

TEST(Releases, HashIsThatOfTheCollapsedLine) {
  EXPECT_EQ(source_hash("  return   model_class.from_pretrained(\t"),
            source_hash("return model_class.from_pretrained("));
  EXPECT_EQ(source_hash("abc"), 0xA9993EU);  // FIPS 180-4, first example
  EXPECT_EQ(source_hash(std::string(160, 'x') + "y"), source_hash(std::string(160, 'x')));
  EXPECT_NE(source_hash(std::string(159, 'x') + "y"), source_hash(std::string(160, 'x')));
}

TEST(Releases, FramesOfOneTracebackLeaveItsRelease) {
  const std::vector<Release> fit = releases_with(shipped(), "transformers", frames_of_4_51_3());
  EXPECT_NE(std::find(fit.begin(), fit.end(), release("4.51.3")), fit.end());
  for (const Release& each : fit) EXPECT_EQ(each.minor, 51) << each.text();
}

TEST(Releases, TwinsStayTogether) {
  const std::vector<FrameSeen> frames = {
      {"transformers/models/auto/auto_factory.py", 564, "from_pretrained", "return model_class.from_pretrained("},
      {"transformers/modeling_utils.py", 3960, "from_pretrained", ") = cls._load_pretrained_model("},
  };
  EXPECT_EQ(texts(releases_with(shipped(), "transformers", frames)), (Texts{"4.44.1", "4.44.2"}));
  EXPECT_EQ(texts(twins_of(shipped(), "transformers", release("4.44.1"))), (Texts{"4.44.1", "4.44.2"}));
  EXPECT_EQ(texts(twins_of(shipped(), "transformers", release("4.44.0"))), (Texts{"4.44.0"}));
}

TEST(Releases, EditedSourceFitsNone) {
  std::vector<FrameSeen> frames = frames_of_4_51_3();
  frames[2].line += 2;  // two lines were put in above
  frames[3].line += 2;
  const FrameVerdict verdict = judge_frames(shipped(), "transformers", frames);
  EXPECT_TRUE(verdict.judged);
  EXPECT_TRUE(verdict.releases.empty());
}

TEST(Releases, SourceThatNoReleaseHasTellsNothing) {
  const std::vector<FrameSeen> frames = {
      {"transformers/modeling_utils.py", 4399, "from_pretrained", "my_own_hook(model, before='load')"}};
  EXPECT_TRUE(releases_with(shipped(), "transformers", frames).empty());
}

TEST(Releases, DamagedTextOfOneFrameDoesNotHideTheRelease) {
  std::vector<FrameSeen> frames = frames_of_4_51_3();
  frames[1].text = "return func(*args, **kwa";
  const std::vector<Release> fit = releases_with(shipped(), "transformers", frames);
  EXPECT_NE(std::find(fit.begin(), fit.end(), release("4.51.3")), fit.end());
}

TEST(Releases, MissingTextIsJudgedByFunctionAndLine) {
  std::vector<FrameSeen> frames = frames_of_4_51_3();
  for (FrameSeen& frame : frames) frame.text.clear();
  const std::vector<Release> fit = releases_with(shipped(), "transformers", frames);
  EXPECT_NE(std::find(fit.begin(), fit.end(), release("4.51.3")), fit.end());
}

TEST(Releases, OtherPackagesAndUnknownFilesTellNothing) {
  EXPECT_FALSE(judge_frames(shipped(), "accelerate", frames_of_4_51_3()).judged);
  EXPECT_FALSE(judge_frames(shipped(), "transformers", {{"transformers/my_file.py", 3, "f", "x()"}}).judged);
  EXPECT_FALSE(judge_frames(shipped(), "transformers", {}).judged);
}

TEST(Releases, PathsAreReadBelowSitePackages) {
  const std::string file = "transformers/modeling_utils.py";
  for (const char* path : {"/venv/lib/python3.11/site-packages/transformers/modeling_utils.py",
                           "C:\\Python311\\Lib\\site-packages\\transformers\\modeling_utils.py",
                           "C:\\\\Python311\\\\Lib\\\\site-packages\\\\transformers\\\\modeling_utils.py",
                           "/libs/4.44.2/transformers/modeling_utils.py",
                           "~/transformers/src/transformers/modeling_utils.py", "transformers/modeling_utils.py"}) {
    EXPECT_EQ(library_file(shipped(), path), file) << path;
  }
  EXPECT_EQ(library_file(shipped(), "/x/site-packages/accelerate/utils/modeling.py"), "accelerate/utils/modeling.py");
  EXPECT_EQ(library_file(shipped(), "/home/me/transformers/run.py"), "");
  EXPECT_EQ(library_file(shipped(), "<stdin>"), "");
  EXPECT_EQ(library_file(shipped(), ""), "");
}

TEST(Releases, ReleasesAreListedOldestFirst) {
  const std::vector<Release> releases = releases_of(shipped(), "transformers");
  ASSERT_FALSE(releases.empty());
  EXPECT_EQ(releases.front(), release("4.20.0"));
  EXPECT_TRUE(std::is_sorted(releases.begin(), releases.end()));
  EXPECT_TRUE(releases_of(shipped(), "numpy").empty());
}

TEST(Releases, AccelerateThatWasCurrent) {
  EXPECT_EQ(accelerate_of(shipped(), release("4.44.2")), release("0.33.0"));
  EXPECT_EQ(accelerate_of(shipped(), release("4.45.1")), release("0.33.0"));  // nearest earlier
  EXPECT_EQ(accelerate_of(shipped(), release("5.5.0")), release("1.13.0"));
  EXPECT_EQ(accelerate_of(shipped(), release("4.21.0")), release("0.20.3"));  // before the first
}

TEST(Releases, ArgumentsByRelease) {
  const auto has = [](const char* function, const char* argument, const char* version) {
    return has_argument(shipped(), "transformers", function, argument, release(version));
  };
  EXPECT_EQ(has("PreTrainedModel.from_pretrained", "dtype", "4.55.4"), false);
  EXPECT_EQ(has("PreTrainedModel.from_pretrained", "dtype", "4.56.0"), true);
  EXPECT_EQ(has("PreTrainedModel.from_pretrained", "load_in_8bit", "4.57.6"), true);
  EXPECT_EQ(has("PreTrainedModel.from_pretrained", "load_in_8bit", "5.0.0"), false);
  EXPECT_EQ(has("PreTrainedModel.from_pretrained", "offload_folder", "99.0.0"), true);  // as the newest known
  EXPECT_EQ(has("PreTrainedModel.from_pretrained", "no_such_argument", "5.0.0"), false);
  EXPECT_EQ(has("no_such_function", "dtype", "5.0.0"), std::nullopt);
  EXPECT_EQ(dtype_argument(shipped(), "transformers", "pipeline", release("4.44.2")), "torch_dtype");
  EXPECT_EQ(dtype_argument(shipped(), "transformers", "pipeline", release("5.5.0")), "dtype");
}

}  // namespace
}  // namespace whyfail::kb
