// Wordings → patterns: the two languages, what is refused, the squeezed form.
#include "matchers/wording.h"

#include "matchers/expression.h"
#include "matchers/squeezed.h"
#include "tests/matchers/written_patterns.h"

namespace whyfail::matchers {
namespace {

Pattern compiled(const Wording& wording) {
  auto result = compile_wording(wording);
  if (const auto* error = std::get_if<WordingError>(&result)) {
    ADD_FAILURE() << error->reason;
    return {};
  }
  return std::get<Pattern>(std::move(result));
}

std::string refusal(const Wording& wording) {
  auto result = compile_wording(wording);
  const auto* error = std::get_if<WordingError>(&result);
  return error == nullptr ? "" : error->reason;
}

TEST(Squeezed, DropsBlanksAndQuotesOfEveryKind) {
  EXPECT_EQ(squeeze("a `b` \"c\" 'd'\n\te"), "abcde");
  EXPECT_EQ(squeeze("\u201ca\u201d \u2018b\u2019 \u00abc\u00bb\u00a0d\u200be"), "abcde");
  EXPECT_EQ(squeeze("on\u2013line \u2026 \uff21"), "on-line...A");
  EXPECT_EQ(squeeze("\\\"auto\\\""), "auto");
  EXPECT_EQ(squeeze("device\\_map"), "device_map");
}

TEST(Squeezed, KnowsWhereEveryByteStood) {
  const std::string text = "the `device_map`";
  const Squeezed squeezed(text);
  ASSERT_EQ(squeezed.text(), "thedevice_map");
  EXPECT_EQ(squeezed.origin(3), 5U);
  EXPECT_EQ(squeezed.origin_end(12), 15U);
}

TEST(Template, HolesBecomeGroupsAndTheRestLiterals) {
  Wording wording = text_wording("Device {key} is not recognized, got {}");
  const Pattern pattern = compiled(wording);
  EXPECT_EQ(pattern.literals, (std::vector<std::string>{"Device", "isnotrecognized,got"}));
  ASSERT_EQ(pattern.captures.size(), 1U);
  EXPECT_EQ(pattern.captures[0].first, "key");
  EXPECT_EQ(pattern.captures[0].second, CaptureKind::word);
}

TEST(Template, DoubledBracesAreBraces) {
  EXPECT_EQ(compiled(text_wording("set device_map={{'': 0}} please")).literals.front(), "setdevice_map={:0}please");
}

TEST(Template, MistakesAreNamed) {
  EXPECT_NE(refusal(text_wording("a {key")), "");
  EXPECT_NE(refusal(text_wording("a key} b")), "");
  EXPECT_NE(refusal(text_wording("a {Key} b")), "");
  EXPECT_NE(refusal(text_wording("a {key} b {key}")), "");
  Wording unknown = text_wording("no capture here");
  unknown.captures["key"] = CaptureKind::list;
  EXPECT_NE(refusal(unknown), "");
  Wording both = text_wording("text");
  both.expression = "pattern";
  EXPECT_NE(refusal(both), "");
}

TEST(Expression, IsWrittenForPlainText) {
  Wording wording;
  wording.expression = R"(CUDA out of memory\. Tried to allocate (?P<requested>[0-9.]+ [KMG]iB)\s+"now")";
  const Pattern pattern = compiled(wording);
  EXPECT_EQ(pattern.expression, R"(CUDAoutofmemory\.Triedtoallocate(?P<requested>[0-9.]+[KMG]iB)now)");
  EXPECT_EQ(pattern.literals, (std::vector<std::string>{"CUDAoutofmemory.Triedtoallocate", "iB", "now"}));
}

TEST(Expression, LiteralsOfAlternativesAndOptionalGroupsAreNotCertain) {
  EXPECT_EQ(literals_of("ab(?:cd|ef)gh(?:ij)?kl"), (std::vector<std::string>{"ab", "gh", "kl"}));
  EXPECT_EQ(literals_of("ab(?:cd)ef"), (std::vector<std::string>{"ab", "cd", "ef"}));
  EXPECT_EQ(literals_of("abc?d"), (std::vector<std::string>{"ab", "d"}));
  EXPECT_TRUE(literals_of("abc|def").empty());
}

TEST(Expression, GroupsOfTextsAreChoices) {
  const std::string joined = std::string("load") + kAlternative + "dispatch";
  EXPECT_EQ(choices_of("(?:load|dispatch)_model(?P<a>x|y[0-9])(?:p|q)?"), std::vector<std::string>{joined});
  EXPECT_TRUE(choices_of("(?:a|)b(?:c)").empty());
  EXPECT_TRUE(choices_of("(?:ab|cd)|ef").empty());
}

TEST(Expression, BrokenOnesAreRefused) {
  Wording wording;
  wording.expression = "device_map (provided";
  EXPECT_NE(refusal(wording), "");
  Wording nearby = text_wording("text of a message");
  nearby.nearby = {{"int", "no group"}};
  EXPECT_NE(refusal(nearby), "");
}

TEST(Expression, CostGrowsWithWhatHasToBeCompiled) {
  EXPECT_LT(expression_cost("abc"), 20U);
  EXPECT_GT(expression_cost("(?:[a-z]{0,200}x){0,4}"), kCostLimit);
}

}  // namespace
}  // namespace whyfail::matchers
