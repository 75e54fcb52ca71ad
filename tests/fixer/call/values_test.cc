// What expressions evaluate to; and that nothing is made up where it can't be told.
#include <gtest/gtest.h>

#include "fixer/call/arguments.h"
#include "fixer/call/python.h"

namespace whyfail::fixer {
namespace {

// The value of the first argument of the last call f(…), in one line.
std::string shown(const Value& value) {
  switch (value.kind) {
    case Value::Kind::none:
      return "None";
    case Value::Kind::boolean:
      return value.boolean ? "True" : "False";
    case Value::Kind::integer:
      return std::to_string(value.integer);
    case Value::Kind::floating:
      return std::to_string(value.floating);
    case Value::Kind::text:
      return '"' + value.text + '"';
    case Value::Kind::attribute:
      return value.text;
    case Value::Kind::unknown:
      return "?";
    default:
      break;
  }
  std::string out = value.kind == Value::Kind::list ? "[" : value.kind == Value::Kind::dict ? "{" : value.text + "(";
  for (const Value& item : value.items) out += shown(item) + ",";
  for (const auto& [key, entry] : value.pairs) out += shown(key) + ":" + shown(entry) + ",";
  for (const auto& [name, entry] : value.keywords) out += name + "=" + shown(entry) + ",";
  return out + (value.kind == Value::Kind::list ? "]" : value.kind == Value::Kind::dict ? "}" : ")");
}

std::string value_in(const std::string& text) {
  const Script script = Script::read(text);
  std::string found = "no call";
  for (const Call& call : script.calls()) {
    if (call.callee == "f" && !call.arguments.empty()) found = shown(script.value_of(call.arguments[0].value));
  }
  return found;
}

TEST(Values, Literals) {
  EXPECT_EQ(value_in("f(-1)"), "-1");
  EXPECT_EQ(value_in("f(0x_ff)"), "255");
  EXPECT_EQ(value_in("f(1_0e2)"), "1000.000000");
  EXPECT_EQ(value_in("f('a' \"\\u00e9\" r'\\n')"), "\"a\xC3\xA9\\n\"");
  EXPECT_EQ(value_in("f(b'a')"), "?");
  EXPECT_EQ(value_in("f({0: '10GiB', 'cpu': None, **{1: True}})"), "{0:\"10GiB\",\"cpu\":None,1:True,}");
  EXPECT_EQ(value_in("f(99999999999999999999)"), "?");
}

TEST(Values, Computed) {
  EXPECT_EQ(value_in("f(20 * 1024**3)"), "21474836480");
  EXPECT_EQ(value_in("n = 20\nf(f'{n}GiB')"), "\"20GiB\"");
  EXPECT_EQ(value_in("f('%dGiB' % 20)"), "\"20GiB\"");
  EXPECT_EQ(value_in("f('{}GiB'.format(20))"), "\"20GiB\"");
  EXPECT_EQ(value_in("f({f'l.{i}': 0 if i < 1 else 'cpu' for i in range(2)})"), "{\"l.0\":0,\"l.1\":\"cpu\",}");
  EXPECT_EQ(value_in("f(9223372036854775807 + 1)"), "?");
  EXPECT_EQ(value_in("f(1 // 0)"), "?");
  EXPECT_EQ(value_in("f(a if b else c)"), "?");
}

TEST(Values, NamesAndCalls) {
  EXPECT_EQ(value_in("import torch as t\nf(t.float16)"), "torch.float16");
  EXPECT_EQ(value_in("from torch import float16\nf(float16)"), "torch.float16");
  EXPECT_EQ(value_in("from transformers import BitsAndBytesConfig as B\nc = B(load_in_8bit=True)\nf(c)"),
            "BitsAndBytesConfig(load_in_8bit=True,)");
  EXPECT_EQ(value_in("class C:\n    m = 'x'\nf(C.m)"), "\"x\"");
  EXPECT_EQ(value_in("import sys\nm = 'x' if sys.argv else 'y'\nf(m)"), "?");
  EXPECT_EQ(value_in("a, b = 'x', 'y'\nf(b)"), "\"y\"");
}

TEST(Values, Paths) {
  EXPECT_EQ(value_in("import os\nf(os.path.join('models', 'x'))"), "\"models/x\"");
  EXPECT_EQ(value_in("from pathlib import Path\nf(Path('models') / 'x')"), "\"models/x\"");
  EXPECT_EQ(value_in("import os\nf(os.path.join(root(), 'x'))").substr(0, 13), "os.path.join(");
}

TEST(Values, TheAssignmentThatReaches) {
  EXPECT_EQ(value_in("m = 'a'\nm = 'b'\nf(m)\n"), "\"b\"");
  EXPECT_EQ(value_in("m = 'a'\nif x:\n    m = 'b'\nf(m)\n"), "?");
  EXPECT_EQ(value_in("m = 'a'\nfor i in x:\n    f(m)\n    m = 'b'\n"), "?");
  EXPECT_EQ(value_in("m = 'a'\ndef g():\n    global m\n    m = 'b'\nf(m)\n"), "?");
  EXPECT_EQ(value_in("m = 'a'\nm += 'b'\nf(m)\n"), "?");
  EXPECT_EQ(value_in("f(m)\nm = 'a'\n"), "?");
}

TEST(Values, ParametersOfAFunctionCalledOnce) {
  const std::string body = "def g(p, q='d'):\n    f(p)\n";
  EXPECT_EQ(value_in(body + "g('a')\n"), "\"a\"");
  EXPECT_EQ(value_in(body + "g(p='a')\n"), "\"a\"");
  EXPECT_EQ(value_in(body + "g('a')\ng('b')\n"), "?");
  EXPECT_EQ(value_in(body + "h(g)\n"), "?");
  EXPECT_EQ(value_in(body), "?");
  EXPECT_EQ(value_in("@command()\n" + body + "g('a')\n"), "?");
}

TEST(Values, DictsThatChange) {
  EXPECT_EQ(value_in("d = {'a': 1}\nd['b'] = 2\nf(d)"), "{\"a\":1,\"b\":2,}");
  EXPECT_EQ(value_in("d = dict(a=1)\nd.update(b=2)\ndel d['a']\nf(d)"), "{\"b\":2,}");
  EXPECT_EQ(value_in("d = {'a': 1}\nif x:\n    d['b'] = 2\nf(d)"), "{\"a\":1,\"b\":?,}");
  EXPECT_EQ(value_in("d = {'a': 1}\nd.update(g())\nf(d)"), "{\"a\":1,?:?,}");
  EXPECT_EQ(value_in("d = {**g()}\nf(d)"), "{?:?,}");
}

TEST(Values, CyclesAndExplosionsEnd) {
  EXPECT_EQ(value_in("a = b\nb = a\nf(a)"), "?");
  std::string text = "a0 = [1, 1]\n";
  for (int index = 1; index < 60; ++index) {
    const std::string before = "a" + std::to_string(index - 1);
    text += "a" + std::to_string(index) + " = [" + before + ", " + before + "]\n";
  }
  EXPECT_EQ(value_in(text + "f(a59)").substr(0, 1), "[");
  EXPECT_EQ(value_in("f(" + std::string(5000, '(') + "1" + std::string(5000, ')') + ")"), "?");
}

std::string written(const std::string& text) {
  const Script script = Script::read(text);
  std::string out;
  for (const Call& call : script.calls()) {
    if (call.callee != "A.from_pretrained") continue;
    const WrittenArguments arguments = written_arguments(script, call);
    for (const WrittenArgument& one : arguments.all) {
      out += one.name + "=" + script.text().substr(one.value.begin, one.value.end - one.value.begin) +
             (one.shared ? "*" : "") + " ";
    }
    out += arguments.open ? "open" : "";
  }
  return out;
}

TEST(WrittenArguments, ExpandsWhatCanBeTold) {
  EXPECT_EQ(written("A.from_pretrained('m', 1, *a)"), "pretrained_model_name_or_path='m' =1 open");
  EXPECT_EQ(written("k = {'a': 1, **{'b': 2}}\nk['c'] = 3\nA.from_pretrained(**k)"), "b=2 a=1 c=3 ");
  EXPECT_EQ(written("k = dict(a=1)\nA.from_pretrained(**k)\ng(**k)"), "a=1* ");
  EXPECT_EQ(written("A.from_pretrained(**vars(args))"), "open");
  EXPECT_EQ(written("def g(**k):\n    A.from_pretrained(**k)\n"), "open");
}

}  // namespace
}  // namespace whyfail::fixer
