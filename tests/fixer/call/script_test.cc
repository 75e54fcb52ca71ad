// What the reader makes of Python text: statements, scopes, calls that can't be read whole.
#include <gtest/gtest.h>

#include "fixer/call/loading_calls.h"
#include "fixer/call/python.h"

namespace whyfail::fixer {
namespace {

std::vector<std::string> callees(const std::string& text) {
  std::vector<std::string> names;
  for (const Call& call : Script::read(text).calls()) names.push_back(call.callee.empty() ? call.method : call.callee);
  return names;
}

std::string text_of(const Script& script, TextRange range) {
  return script.text().substr(range.begin, range.end - range.begin);
}

TEST(Script, FindsCallsOutermostFirst) {
  EXPECT_EQ(callees("a(b(c)(d), e=f[g()])\n"), (std::vector<std::string>{"a", "", "b", "g"}));
  EXPECT_EQ(callees("X.load('m').to('cuda')"), (std::vector<std::string>{"to", "X.load"}));
  EXPECT_EQ(callees("x = f'{a(1)!r:>{b(2)}} {{no(3)}}'"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(callees("f\"{d[\"k\"](\"v\")}\""), (std::vector<std::string>{""}));
}

TEST(Script, DefinitionsAndPatternsCallNothing) {
  EXPECT_EQ(callees("class A(B, metaclass=m()):\n  async def f[T](x=d()) -> r(): return await g()\n"),
            (std::vector<std::string>{"m", "d", "r", "g"}));
  EXPECT_EQ(callees("match (x):\n  case P(y) if q(y): z()\n"), (std::vector<std::string>{"q", "z"}));
  EXPECT_EQ(callees("from . import (a, b)\nmatch(x)\n"), (std::vector<std::string>{"match"}));
}

TEST(Script, BytesStayAsTheyAre) {
  const Script script =
      Script::read("\xEF\xBB\xBF# caf\xC3\xA9\r\n\tm = l\xC3\xA4t(\r\n\t\t\"\xC3\xA9\",  # c, d\r\n\t)\r\n");
  const auto calls = script.calls();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].callee, "l\xC3\xA4t");
  EXPECT_EQ(calls[0].line, 2);
  EXPECT_EQ(text_of(script, calls[0].arguments[0].value), "\"\xC3\xA9\"");
  EXPECT_TRUE(calls[0].complete);
}

TEST(Script, SaysWhereACallStands) {
  const auto calls = Script::read("class L:\n    def go(self):\n        def in_(): a()\n        b()\nc()\n").calls();
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].scope, "L.go.in_");
  EXPECT_EQ(calls[1].scope, "L.go");
  EXPECT_EQ(calls[2].scope, "");
}

TEST(Script, WhatLacksAPartIsNotComplete) {
  for (const char* text :
       {"f(", "f(a, b", "f(a=)", "f(a +)", "f(a b)", "f(, a)", "f('a", "f(a., b)", "f(x=1, 2)", "f(d_ map=1)",
        "f(\xE2\x80\x9C"
        "auto\xE2\x80\x9D)"}) {
    const auto calls = Script::read(text).calls();
    ASSERT_FALSE(calls.empty()) << text;
    EXPECT_FALSE(calls[0].complete) << text;
  }
  for (const char* text :
       {"f(*a, b=lambda x, y=1: x, **c)", "f(x if y else z)", "f(a[1:, ::2], not b)", "f(-1 ** ~2)", "f((yield))",
        "f(x async for x in y)", "f(a, # c\n  b,\n)", "f(await g(), a is not b)", "f('a' f'{b}' \"c\")"}) {
    EXPECT_TRUE(Script::read(text).calls()[0].complete) << text;
  }
}

TEST(Script, ShellLinesAndBrokenLinesHarmNothingElse) {
  EXPECT_EQ(callees("!pip install 'x (y\n%time f(\na(1)\nx = 'oops\nb(2)\n? c\n"),
            (std::vector<std::string>{"a", "b"}));
}

TEST(Script, StatementsByPositionAndLine) {
  const Script script = Script::read("a = 1; b = f(\n  2)\nif x: y = g()\n");
  EXPECT_EQ(text_of(script, script.statement_at(8)), "b = f(\n  2)");
  EXPECT_EQ(script.calls_on_line(2).size(), 1U);
  EXPECT_EQ(script.calls_on_line(3)[0].callee, "g");
  EXPECT_TRUE(script.calls_on_line(9).empty());
}

TEST(Script, UndoesAliases) {
  const Script script =
      Script::read("from transformers import pipeline as p\nimport torch as th\np(1)\nth.device('cpu')\n");
  EXPECT_EQ(script.qualified_callee(script.calls()[0]), "transformers.pipeline");
  EXPECT_EQ(script.qualified_callee(script.calls()[1]), "torch.device");
}

TEST(Script, NamesAssignedOnce) {
  const Script script = Script::read("m = {0: '1GiB'}\nn = 1\nn = 2\ndef f(p):\n    return g(m, n, p)\nh(m)\n");
  const Call call = script.calls()[0];
  const auto assigned = script.assignment_of(call.arguments[0].value);
  ASSERT_TRUE(assigned);
  EXPECT_EQ(text_of(script, assigned->value), "{0: '1GiB'}");
  EXPECT_EQ(assigned->uses, 2);
  EXPECT_FALSE(script.assignment_of(call.arguments[1].value));
  EXPECT_FALSE(script.assignment_of(call.arguments[2].value));
}

TEST(LoadingCalls, OnlyThoseThatLoadWeights) {
  const Script script = Script::read(
      "t = AutoTokenizer.from_pretrained('m')\nc = AutoConfig.from_pretrained('m')\nm = "
      "AutoModel.from_pretrained('m')\n"
      "p = pipeline('t')\nd = dispatch_model(m)\n");
  EXPECT_EQ(loading_calls(script).size(), 3U);
}

std::string behind(const std::string& text) {
  const Script script = Script::read(text);
  const auto calls = script.calls();
  std::optional<Call> last;
  for (const Call& call : calls) {
    if (call.method == "generate" || call.method == "to") last = call;
  }
  const auto made = last ? loading_call_behind(script, *last) : std::nullopt;
  return made ? text_of(script, made->range) : "";
}

TEST(LoadingCalls, FollowsTheObject) {
  EXPECT_EQ(behind("m = A.from_pretrained('x')\nm.eval()\nm.generate(1)\n"), "A.from_pretrained('x')");
  EXPECT_EQ(behind("m = A.from_pretrained('x').eval()\nm = torch.compile(m)\nm.generate(1)\n"),
            "A.from_pretrained('x')");
  EXPECT_EQ(
      behind("def load(p):\n    m = A.from_pretrained(p)\n    return m, 1\nm, t = load('x')\nn = load('y')\nn.to(0)\n"),
      "A.from_pretrained(p)");
  EXPECT_EQ(behind("class C:\n  def __init__(self):\n    self.m = A.from_pretrained('x')\n  def go(self):\n    "
                   "self.m.to('cuda')\n"),
            "A.from_pretrained('x')");
  EXPECT_EQ(behind("m = A.from_pretrained('x')\nif y: m = B.from_pretrained('z')\nm.to('cuda')\n"), "");
}

}  // namespace
}  // namespace whyfail::fixer
