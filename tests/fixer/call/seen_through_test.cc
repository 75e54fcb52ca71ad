// Loading functions that are called by others or under other names.
#include "fixer/call/seen_through.h"

#include <gtest/gtest.h>

#include "fixer/call/loading_calls.h"

namespace whyfail::fixer {
namespace {

std::string only_loading_call(const std::string& text) {
  const Script script = Script::read(text);
  const std::vector<Call> calls = loading_calls(script);
  if (calls.size() != 1) return std::to_string(calls.size()) + " calls";
  std::string names = script.qualified_callee(calls[0]);
  for (const Argument& argument : calls[0].arguments) names += " " + (argument.name.empty() ? "-" : argument.name);
  return names;
}

TEST(SeenThrough, FunctionsThatCallTheirArgument) {
  EXPECT_EQ(only_loading_call("import functools\nfrom transformers import AutoModel\n"
                              "f = functools.partial(AutoModel.from_pretrained, device_map='gpu')\n"),
            "transformers.AutoModel.from_pretrained device_map");
  EXPECT_EQ(only_loading_call("m = await asyncio.to_thread(A.from_pretrained, 'x', a=1)\n"), "A.from_pretrained - a");
  EXPECT_EQ(only_loading_call("m = pool.submit(AutoTokenizer.from_pretrained, 'x')\n"), "0 calls");
  EXPECT_EQ(only_loading_call("m = partial(load, 'x')\n"), "0 calls");
}

TEST(SeenThrough, OtherNames) {
  EXPECT_EQ(
      only_loading_call("from transformers import AutoModel as A\nload = A.from_pretrained\nm = load('x', a=1)\n"),
      "transformers.AutoModel.from_pretrained - a");
  EXPECT_EQ(only_loading_call("from transformers import AutoModel\nM = AutoModel\nm = M.from_pretrained('x')\n"),
            "transformers.AutoModel.from_pretrained -");
  EXPECT_EQ(only_loading_call("load = A.from_pretrained\nload = print\nload('x')\n"), "0 calls");
}

TEST(SeenThrough, ObjectsAreFollowedToTheCall) {
  const std::string text =
      "f = partial(A.from_pretrained, a=1)\n\n\ndef ready(m):\n    return m.to('cuda')\n\n\nx = ready(f('y'))\n";
  const Script script = Script::read(text);
  for (const Call& call : script.calls()) {
    if (call.method != "to") continue;
    const auto made = loading_call_behind(script, call);
    ASSERT_TRUE(made);
    EXPECT_EQ(text.substr(made->range.begin, 7), "partial");
    return;
  }
  GTEST_FAIL() << "the call of to() was not read";
}

TEST(SeenThrough, AFunctionThatIsCalledTwiceTellsNothing) {
  const std::string text =
      "def ready(m):\n    return m.to('cuda')\n\n\na = ready(A.from_pretrained('x'))\nb = ready(B())\n";
  const Script script = Script::read(text);
  for (const Call& call : script.calls()) {
    EXPECT_FALSE(call.method == "to" && loading_call_behind(script, call));
  }
}

}  // namespace
}  // namespace whyfail::fixer
