// Edits keep the style of what they change and every byte that they do not.
#include <gtest/gtest.h>

#include "fixer/call/changes.h"
#include "fixer/call/python.h"

namespace whyfail::fixer {
namespace {

Call loading_call(const Script& script) {
  for (const Call& call : script.calls()) {
    if (call.method == "load") return call;
  }
  return {};
}

std::string after_set(const std::string& text, std::string_view name, std::string_view value) {
  const Script script = Script::read(text);
  return apply_edits(text, set_argument(script, loading_call(script), name, value));
}

std::string after_remove(const std::string& text, std::string_view name) {
  const Script script = Script::read(text);
  return apply_edits(text, remove_argument(script, loading_call(script), name));
}

std::string after_rename(const std::string& text, std::string_view name, std::string_view to) {
  const Script script = Script::read(text);
  return apply_edits(text, rename_argument(script, loading_call(script), name, to));
}

TEST(SetArgument, ReplacesAValue) {
  EXPECT_EQ(after_set("m = A.load('x', d='gpu')  # c", "d", "\"auto\""), "m = A.load('x', d='auto')  # c");
  EXPECT_EQ(after_set("A.load(d=(\n  1))", "d", "2"), "A.load(d=2)");
}

TEST(SetArgument, AddsInTheStyleOfTheCall) {
  EXPECT_EQ(after_set("A.load()", "d", "1"), "A.load(d=1)");
  EXPECT_EQ(after_set("A.load(x)", "d", "1"), "A.load(x, d=1)");
  EXPECT_EQ(after_set("A.load(x,)", "d", "1"), "A.load(x, d=1,)");
  EXPECT_EQ(after_set("A.load(x, **k())", "d", "1"), "A.load(x, **k())");  // may hold d
  EXPECT_EQ(after_set("k = {'y': 2}\nA.load(x, **k)", "d", "1"), "k = {'y': 2}\nA.load(x, d=1, **k)");
  EXPECT_EQ(after_set("A.load(\n    x,  # a, b\n    # rest\n)\n", "d", "1"),
            "A.load(\n    x,  # a, b\n    d=1,\n    # rest\n)\n");
  EXPECT_EQ(after_set("A.load(\r\n\tx\r\n)\r\n", "d", "1"), "A.load(\r\n\tx,\r\n\td=1\r\n)\r\n");
  EXPECT_EQ(after_set("A.load(\n    x  # a\n)", "d", "1"), "A.load(\n    x,  # a\n    d=1\n)");
  EXPECT_EQ(after_set("A.load(x,\n       y=1)", "d", "1"), "A.load(x,\n       y=1,\n       d=1)");
  EXPECT_EQ(after_set("A.load(\n    x, y\n)", "d", "1"), "A.load(\n    x, y, d=1\n)");
}

TEST(SetArgument, ChangesItWhereItIsWritten) {
  EXPECT_EQ(after_set("k = {\n    \"d\": 'gpu',\n}\nA.load(x, **k)", "d", "None"),
            "k = {\n    \"d\": None,\n}\nA.load(x, **k)");
  EXPECT_EQ(after_set("k = dict(d=1)\nA.load(**k)", "d", "2"), "k = dict(d=2)\nA.load(**k)");
  EXPECT_EQ(after_set("k = {}\nk['d'] = 1\nA.load(**k)", "d", "2"), "k = {}\nk['d'] = 2\nA.load(**k)");
  EXPECT_EQ(after_set("d = 'gpu'\nA.load(d=d)", "d", "'cpu'"), "d = 'cpu'\nA.load(d=d)");
  EXPECT_EQ(after_set("d = 'gpu'\nA.load(d=d)\ng(d)", "d", "'cpu'"), "d = 'gpu'\nA.load(d='cpu')\ng(d)");
  EXPECT_EQ(after_set("k = {'d': 1}\nA.load(**k)\ng(**k)", "d", "2"), "k = {'d': 1}\nA.load(**{**k, 'd': 2})\ng(**k)");
}

TEST(SetArgument, DeclinesWhatIsNotWhole) {
  EXPECT_EQ(after_set("A.load(x", "d", "1"), "A.load(x");
  EXPECT_EQ(after_set("f'{A.load(x)}'", "d", "1"), "f'{A.load(x)}'");
  EXPECT_EQ(after_set("A.load(x for x in y)", "d", "1"), "A.load(x for x in y)");
}

TEST(RemoveArgument, TakesItsCommaAndLine) {
  EXPECT_EQ(after_remove("A.load(a=1, b=2)", "a"), "A.load(b=2)");
  EXPECT_EQ(after_remove("A.load(a=1, b=2)", "b"), "A.load(a=1)");
  EXPECT_EQ(after_remove("A.load(a=1, b=2,)", "b"), "A.load(a=1,)");
  EXPECT_EQ(after_remove("A.load(a=1)", "a"), "A.load()");
  EXPECT_EQ(after_remove("A.load(\n    a=1,  # x\n    b=2,  # y\n)", "a"), "A.load(\n    b=2,  # y\n)");
  EXPECT_EQ(after_remove("A.load(\n    a=1,  # x\n    b=2\n)", "b"), "A.load(\n    a=1  # x\n)");
  EXPECT_EQ(after_remove("A.load(a=1,\n       b=2)", "b"), "A.load(a=1)");
  EXPECT_EQ(after_remove("A.load(a=1,  # x\n       b=2)", "b"), "A.load(a=1  # x\n       )");
  EXPECT_EQ(after_remove("k = {'a': 1, 'b': 2}\nk['a'] = 3\nA.load(**k)", "a"), "k = {'b': 2}\nA.load(**k)");
}

TEST(RenameArgument, KeepsTheValue) {
  EXPECT_EQ(after_rename("A.load(torch_dtype = x)", "torch_dtype", "dtype"), "A.load(dtype = x)");
  EXPECT_EQ(after_rename("k = {'a': 1}\nA.load(**k)", "a", "b"), "k = {'b': 1}\nA.load(**k)");
  EXPECT_EQ(after_rename("A.load(a=1, b=2)", "a", "b"), "A.load(a=1, b=2)");
}

TEST(ChangeArguments, SeveralAtOnce) {
  const std::string text = "x = 1\nm = A.load(\n    'm',\n    old=1,\n)\ny = 2\n";
  const Script script = Script::read(text);
  const auto edits = change_arguments(script, loading_call(script),
                                      {{ArgumentChange::Kind::remove, "old", ""},
                                       {ArgumentChange::Kind::set, "d", "'auto'"},
                                       {ArgumentChange::Kind::set, "o", "'off'"}});
  EXPECT_EQ(apply_edits(text, edits), "x = 1\nm = A.load(\n    'm',\n    d='auto',\n    o='off',\n)\ny = 2\n");
}

TEST(Entries, SetRemoveRename) {
  const std::string text = "m = {0: '9GiB'}\nA.load(m=m)\n";
  const Script script = Script::read(text);
  const TextRange value = loading_call(script).arguments[0].value;
  EXPECT_EQ(apply_edits(text, set_entry(script, value, "\"cpu\"", "\"30GiB\"")),
            "m = {0: '9GiB', 'cpu': '30GiB'}\nA.load(m=m)\n");
  EXPECT_EQ(apply_edits(text, set_entry(script, value, "0", "\"8GiB\"")), "m = {0: '8GiB'}\nA.load(m=m)\n");
  EXPECT_EQ(apply_edits(text, rename_entry(script, value, "0", "1")), "m = {1: '9GiB'}\nA.load(m=m)\n");
  EXPECT_EQ(apply_edits(text, remove_entry(script, value, "0")), "m = {}\nA.load(m=m)\n");
  EXPECT_TRUE(set_entry(script, loading_call(script).range, "0", "1").empty());
}

TEST(Entries, ConfigBehindAName) {
  const std::string text = "c = BitsAndBytesConfig(load_in_8bit=True)\nA.load(q=c)\n";
  const Script script = Script::read(text);
  const auto config = call_behind(script, loading_call(script).arguments[0].value);
  ASSERT_TRUE(config);
  EXPECT_EQ(apply_edits(text, set_argument(script, *config, "llm_int8_enable_fp32_cpu_offload", "True")),
            "c = BitsAndBytesConfig(load_in_8bit=True, llm_int8_enable_fp32_cpu_offload=True)\nA.load(q=c)\n");
}

std::string without_method(const std::string& text, std::string_view method) {
  const Script script = Script::read(text);
  for (const Call& call : script.calls()) {
    if (call.method == method) return apply_edits(text, remove_method_call(script, call));
  }
  return "no call";
}

TEST(RemoveMethodCall, LeavesAFileThatParses) {
  EXPECT_EQ(without_method("m = A.load('x').to('cuda')\n", "to"), "m = A.load('x')\n");
  EXPECT_EQ(without_method("m = A.load('x').to('cuda').eval()\n", "to"), "m = A.load('x').eval()\n");
  EXPECT_EQ(without_method("a()\nm.to('cuda')  # move\nb()\n", "to"), "a()\nb()\n");
  EXPECT_EQ(without_method("m = m.to('cuda')\nb()\n", "to"), "b()\n");
  EXPECT_EQ(without_method("if x:\n    m.to('cuda')\nb()\n", "to"), "if x:\n    pass\nb()\n");
  EXPECT_EQ(without_method("if x: m.to('cuda')\n", "to"), "if x: pass\n");
  EXPECT_EQ(without_method("a(); m.to(0); b()\n", "to"), "a(); b()\n");
  EXPECT_EQ(without_method("a(); m.to(0)\n", "to"), "a()\n");
  EXPECT_EQ(without_method("def f():\n    return m.to(0)\n", "to"), "def f():\n    return m\n");
  EXPECT_EQ(without_method("m = (\n    A.load('x')\n    .to('cuda')\n)\n", "to"), "m = (\n    A.load('x')\n)\n");
  EXPECT_EQ(without_method("n = m.to(0)\n", "to"), "n = m\n");
}

std::string with_lines_before(const std::string& text, std::size_t position) {
  const Script script = Script::read(text);
  return apply_edits(text, insert_before_statement(script, position, {"import os"}));
}

TEST(InsertBeforeStatement, KnowsWhereALineCanStand) {
  EXPECT_EQ(with_lines_before("def f():\r\n\tx = g()\r\n", 15), "def f():\r\n\timport os\r\n\tx = g()\r\n");
  EXPECT_EQ(with_lines_before("@d\n@e()\ndef f(): pass\n", 9), "import os\n@d\n@e()\ndef f(): pass\n");
  EXPECT_EQ(with_lines_before("if a: pass\nelif b(): pass\n", 16), "if a: pass\nelif b(): pass\n");
  EXPECT_EQ(with_lines_before("if a: b()\n", 7), "if a: b()\n");
}

std::string with_import(const std::string& text) {
  const Script script = Script::read(text);
  return apply_edits(text, ensure_import(script, "transformers", "B", text.size()));
}

TEST(EnsureImport, AddsOnlyWhatIsMissing) {
  EXPECT_EQ(with_import("from transformers import A, B\n"), "from transformers import A, B\n");
  EXPECT_EQ(with_import("from transformers import A  # x\n"), "from transformers import A, B  # x\n");
  EXPECT_EQ(with_import("from transformers import (\n    A,\n)\n"), "from transformers import (\n    A,\n    B,\n)\n");
  EXPECT_EQ(with_import("\"\"\"doc\"\"\"\nimport torch  # t\nx = 1\n"),
            "\"\"\"doc\"\"\"\nimport torch  # t\nfrom transformers import B\nx = 1\n");
  EXPECT_EQ(with_import("#!/usr/bin/python\nx = 1\n"), "#!/usr/bin/python\nfrom transformers import B\nx = 1\n");
}

TEST(EditsBetween, AreSmallAndExact) {
  const std::string before = "a\nb\nc\nd\n";
  const std::string after = "a\nB\nc\nx\nd\n";
  const auto edits = edits_between(before, after);
  EXPECT_EQ(apply_edits(before, edits), after);
  EXPECT_EQ(edits.size(), 2U);
}

}  // namespace
}  // namespace whyfail::fixer
