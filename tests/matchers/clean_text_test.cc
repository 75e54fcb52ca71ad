// The map from cleaned text to the paste.
#include "matchers/clean_text.h"

#include <gtest/gtest.h>

namespace whyfail::matchers {
namespace {

TEST(CleanText, VerbatimRunsMergeAndMapByteByByte) {
  CleanText text;
  text.append("abc", 10, true);
  text.append("def", 13, true);
  EXPECT_EQ(text.text(), "abcdef");
  EXPECT_EQ(text.origin(1, 5), (Span{11, 15}));
}

TEST(CleanText, ReplacementsStandForAllTheirBytes) {
  CleanText text;
  text.append("a", 0, true);
  text.append("<", 1, false, 4);  // &lt;
  text.append("b", 5, true);
  EXPECT_EQ(text.origin(1, 2), (Span{1, 5}));
  EXPECT_EQ(text.origin(0, 3), (Span{0, 6}));
  EXPECT_EQ(text.origin(2, 3), (Span{5, 6}));
}

TEST(CleanText, TakingFromAnEarlierTextKeepsPlaces) {
  CleanText earlier;
  earlier.append("12", 100, true);
  earlier.append("<", 102, false, 4);
  earlier.append("34", 106, true);
  CleanText text;
  text.take(earlier, 1, 4);
  EXPECT_EQ(text.text(), "2<3");
  EXPECT_EQ(text.origin(0, 3), (Span{101, 107}));
  CleanText replaced;
  replaced.replace("x", earlier, 1, 4);
  EXPECT_EQ(replaced.origin(0, 1), (Span{101, 107}));
}

TEST(CleanText, OutOfRangeIsEmptyNotWrong) {
  CleanText text;
  EXPECT_TRUE(text.origin(0, 1).empty());
  CleanText earlier;
  text.take(earlier, 0, 10);
  EXPECT_EQ(text.text(), "");
}

TEST(CleanText, LinesOfThePaste) {
  CleanText text;
  text.append("ab\ncd", 7, true);
  text.set_lines(3, {10, 13});
  EXPECT_EQ(text.line_of(0), 3);
  EXPECT_EQ(text.line_of(3), 4);
  CleanText next;
  next.take(text, 3, 5);
  next.take_lines(text);
  EXPECT_EQ(next.line_of(0), 4);
  EXPECT_EQ(next.paste_line(13), 5);
}

}  // namespace
}  // namespace whyfail::matchers
