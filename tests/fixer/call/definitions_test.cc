// Names in a pasted call are looked up in the code that the paste shows.
#include "fixer/call/definitions.h"

#include <gtest/gtest.h>

namespace whyfail::fixer {
namespace {

using Texts = std::vector<std::string>;

Texts found(const std::vector<std::string>& lines, const std::string& arguments) {
  ShownCode code;
  code.lines = lines;
  code.places.resize(lines.size());
  code.prompted.resize(lines.size());
  code.numbered.resize(lines.size());
  code.marked.resize(lines.size());
  return definitions_of(code, arguments);
}

TEST(Definitions, OfNamesAndOfNamesInThese) {
  const Texts shown =
      found({"compute = torch.float16", "    bnb_config = BitsAndBytesConfig(", "        load_in_4bit=True,",
             "        bnb_4bit_compute_dtype=compute,", "    )", "model = load(x, q=bnb_config)"},
            "load(x, q=bnb_config)");
  EXPECT_EQ(
      shown,
      (Texts{"compute = torch.float16",
             "bnb_config = BitsAndBytesConfig(\n    load_in_4bit=True,\n    bnb_4bit_compute_dtype=compute,\n)"}));
}

TEST(Definitions, OnlyWhereOneCounts) {
  EXPECT_EQ(found({"q = A(1)", "q = A(1)"}, "f(q=q)"), (Texts{"q = A(1)"}));
  EXPECT_TRUE(found({"q = A(1)", "q = A(2)"}, "f(q=q)").empty());
  EXPECT_TRUE(found({"q == A(1)", "q.x = 1", "r = 2"}, "f(q=q)").empty());
  EXPECT_TRUE(found({"q = A(1"}, "f(q=q)").empty()) << "cut off";
  EXPECT_TRUE(found({"q = 1", "b = 2"}, "f(q=1, c=a.b, d=b())").empty()) << "keywords, attributes, calls are no names";
}

TEST(Definitions, ArgumentsOnLinesOfTheirOwnAreNone) {
  EXPECT_EQ(found({"q = A(1)", "m = load(", "    q=q,", "    d=q", ")"}, "load(q=q, d=q)"), (Texts{"q = A(1)"}));
}

TEST(Definitions, TakeOnePass) {
  EXPECT_TRUE(found(std::vector<std::string>(20000, "q = A(1)"), "f(q)").empty()) << "each of them would be read";
  std::vector<std::string> lines(20000, "other = 1");
  lines.emplace_back("q = 2");
  EXPECT_EQ(found(lines, "f(q)"), (Texts{"q = 2"}));
  EXPECT_FALSE(uses_names("f(1, 'x', a=torch.float16)"));
  EXPECT_TRUE(uses_names("f(**options)"));
}

}  // namespace
}  // namespace whyfail::fixer
