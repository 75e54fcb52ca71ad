// From a paste to the call that has to change.
#include "fixer/call/failing_call.h"

#include <gtest/gtest.h>

#include <map>

#include "fixer/call/user_frames.h"

namespace whyfail::fixer {
namespace {

struct NoPatterns : matchers::PatternSource {
  std::string_view anchor_filter() const override { return {}; }
  std::vector<matchers::Pattern> patterns_with(std::uint64_t) const override { return {}; }
};

using Files = std::map<std::string, std::string>;

std::variant<FoundCall, NoCall> search(const std::string& paste, const Files& files = {}) {
  matchers::Reading reading = matchers::read_paste(paste, NoPatterns());
  reading.failures.emplace_back();  // as if the error were known: else no call is said to be complete
  return find_failing_call(reading, [&](const std::string& file) -> std::optional<std::string> {
    const auto found = files.find(file);
    if (found == files.end()) return std::nullopt;
    return found->second;
  });
}

FoundCall found_in(const std::string& paste, const Files& files = {}) {
  auto found = search(paste, files);
  if (auto* none = std::get_if<NoCall>(&found)) {
    FoundCall nothing;
    nothing.text = "none: " + none->why;
    return nothing;
  }
  return std::move(std::get<FoundCall>(found));
}

const std::string library =
    "  File \"/home/u/venv/lib/python3.11/site-packages/transformers/modeling_utils.py\", line 99, in from_pretrained\n"
    "    raise ValueError(\n"
    "ValueError: it failed\n";

std::string traceback(const std::string& line, const std::string& below = library) {
  return "Traceback (most recent call last):\n  File \"/home/u/run.py\", line 3, in <module>\n    " + line + "\n" +
         below;
}

TEST(FailingCall, TheExpressionAlone) {
  const FoundCall found = found_in(traceback("model = A.from_pretrained(\"m\", device_map={\"\": 0}).eval()"));
  EXPECT_EQ(found.text, "A.from_pretrained(\"m\", device_map={\"\": 0})");
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.file, "/home/u/run.py");
  EXPECT_EQ(found.line, 3);
  EXPECT_EQ(found.failing, "");
}

TEST(FailingCall, AFirstLineIsNotComplete) {
  const FoundCall found = found_in(traceback("model = A.from_pretrained("));
  EXPECT_FALSE(found.complete);
}

TEST(FailingCall, TheRestStandsElsewhereInThePaste) {
  const std::string code =
      "My script:\n```python\nmodel = A.from_pretrained(\n    \"m\",\n    device_map=\"gpu\",\n)\n```\nIt fails "
      "(always):\n";
  const FoundCall found = found_in(code + traceback("model = A.from_pretrained("));
  EXPECT_EQ(found.text, "A.from_pretrained(\n    \"m\",\n    device_map=\"gpu\",\n)");
  EXPECT_TRUE(found.complete);
  const std::string other = "or\n```\nmodel = A.from_pretrained(\n    \"n\",\n)\n```\n";
  EXPECT_FALSE(found_in(code + other + traceback("model = A.from_pretrained(")).complete);
}

TEST(FailingCall, TheCallThatLeadsOn) {
  const std::string tokenizers =
      "  File \"/home/u/venv/lib/python3.11/site-packages/transformers/tokenization_utils_base.py\", line 9, in "
      "from_pretrained\n"
      "    raise OSError(\nOSError: it failed\n";
  const std::string line = "go(AutoModel.from_pretrained(\"a\"), AutoTokenizer.from_pretrained(\"b\"))";
  EXPECT_EQ(found_in(traceback(line)).text, "AutoModel.from_pretrained(\"a\")");
  EXPECT_EQ(found_in(traceback(line, tokenizers)).text, "AutoTokenizer.from_pretrained(\"b\")");
}

TEST(FailingCall, AnotherExpressionFailed) {
  const std::string moved =
      "  File \"/home/u/venv/lib/python3.11/site-packages/accelerate/big_modeling.py\", line 9, in to\n"
      "    raise RuntimeError(\nRuntimeError: it failed\n";
  const FoundCall chained = found_in(traceback("model = A.from_pretrained(\"m\").to(\"cuda\")", moved));
  EXPECT_EQ(chained.text, "A.from_pretrained(\"m\")");
  EXPECT_EQ(chained.failing, "A.from_pretrained(\"m\").to(\"cuda\")");
  const FoundCall hidden = found_in(traceback("model.to(\"cuda\")", moved));
  EXPECT_EQ(hidden.text, "model.to(\"cuda\")");
  EXPECT_FALSE(hidden.complete);
  const std::string code = "```\nmodel = A.from_pretrained(\"m\")\nmodel.to(\"cuda\")\n```\n";
  const FoundCall shown = found_in(code + traceback("model.to(\"cuda\")", moved));
  EXPECT_EQ(shown.text, "A.from_pretrained(\"m\")");
  EXPECT_EQ(shown.failing, "model.to(\"cuda\")");
}

TEST(FailingCall, WhatWasTypedAtAPrompt) {
  const std::string typed =
      ">>> model = A.from_pretrained(\"m\",\n...     device_map=\"auto\")\n>>> x = other(1)\n>>> model.to(\"cuda\")\n";
  const FoundCall found =
      found_in(typed +
               "Traceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\n"
               "  File \"/home/u/venv/lib/python3.11/site-packages/accelerate/big_modeling.py\", line 9, in "
               "to\n    raise RuntimeError(\nRuntimeError: it failed\n");
  EXPECT_EQ(found.text, "A.from_pretrained(\"m\",\n    device_map=\"auto\")");
  EXPECT_EQ(found.failing, "model.to(\"cuda\")");
}

TEST(FailingCall, ArgumentLinesAreOnlyAPart) {
  const FoundCall found = found_in(traceback("quantization_config=BitsAndBytesConfig(load_in_4bit=True),"));
  EXPECT_FALSE(found.complete);
}

const std::string script = "import x\r\n\r\nmodel = A.from_pretrained(\r\n    \"m\",\r\n)\r\n";

TEST(FailingCall, AllOfItFromTheFile) {
  const FoundCall found = found_in(traceback("model = A.from_pretrained("), {{"/home/u/run.py", script}});
  EXPECT_TRUE(found.complete);
  ASSERT_TRUE(found.call && found.script);
  EXPECT_EQ(found.call->arguments.size(), 1U);
  EXPECT_EQ(found.line, 3);
}

TEST(FailingCall, AFileThatChanged) {
  const FoundCall moved = found_in(traceback("model = A.from_pretrained("), {{"/home/u/run.py", "# new\n" + script}});
  EXPECT_EQ(moved.line, 4);
  const auto gone = search(traceback("model = A.from_pretrained("), {{"/home/u/run.py", "a\nb\nc\nd\n"}});
  ASSERT_TRUE(std::holds_alternative<NoCall>(gone));
  EXPECT_NE(std::get<NoCall>(gone).why.find("changed"), std::string::npos);
  const auto twice = search(traceback("model = A.from_pretrained("), {{"/home/u/run.py", "#\n" + script + script}});
  EXPECT_TRUE(std::holds_alternative<NoCall>(twice));
}

TEST(FailingCall, InTheFileTheObjectIsFollowed) {
  const std::string below =
      "  File \"/home/u/venv/lib/python3.11/site-packages/torch/nn/modules/module.py\", line 9, in to\n"
      "    raise RuntimeError(\nRuntimeError: it failed\n";
  const FoundCall found = found_in(traceback("model.to(\"cuda\")", below),
                                   {{"/home/u/run.py", "model = A.from_pretrained(\"m\")\n\nmodel.to(\"cuda\")\n"}});
  EXPECT_EQ(found.text, "A.from_pretrained(\"m\")");
  EXPECT_EQ(found.failing, "model.to(\"cuda\")");
  EXPECT_EQ(found.line, 1);
}

TEST(FailingCall, NothingToFind) {
  EXPECT_TRUE(std::holds_alternative<NoCall>(search("")));
  EXPECT_TRUE(std::holds_alternative<NoCall>(search("ValueError: it failed\n")));
  EXPECT_TRUE(
      std::holds_alternative<NoCall>(search(traceback("raise ValueError(\"it failed\")", "ValueError: it failed\n"))));
}

TEST(UserFrames, ByPath) {
  for (const char* file : {"/home/u/run.py", "C:\\projects\\bot\\run.py", "Cell In[2]", "<stdin>", "/content/lib.py",
                           "G:\\ComfyUI\\nodes.py"}) {
    EXPECT_TRUE(is_users_own(file)) << file;
  }
  for (const char* file :
       {"/home/u/.venv/lib/python3.11/site-packages/transformers/modeling_utils.py", "/usr/lib/python3.11/runpy.py",
        "<frozen runpy>", "C:\\Users\\u\\AppData\\Local\\Programs\\Python\\Python311\\Lib\\asyncio\\runners.py",
        "/usr/local/bin/torchrun", "/usr/local/lib/python3.10/dist-packages/torch/nn/modules/module.py",
        "pandas/_libs/index.pyx", "C:\\\\Users\\\\u\\\\venv\\\\Lib\\\\site-packages\\\\torch\\\\serialization.py"}) {
    EXPECT_FALSE(is_users_own(file)) << file;
  }
}

}  // namespace
}  // namespace whyfail::fixer
