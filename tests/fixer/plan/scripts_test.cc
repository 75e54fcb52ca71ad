// Whole scripts in the styles people write: what becomes of them, that a second fix changes nothing more, and what is
// left alone because the text does not tell it.
#include <array>

#include "fixer/call/loading_calls.h"
#include "situations.h"

namespace whyfail::fixer {
namespace {

const char* const one_card = "gpu=24GiB:23GiB free,ram=56GiB,disk=500GiB";
const std::string imports = "import torch\nfrom transformers import AutoModelForCausalLM\n\n";
const std::string model = "\"meta-llama/Llama-2-7b-hf\"";
const std::string half = "torch_dtype=torch.float16";

struct Rewriting {
  std::string failure;
  std::string before;  // behind the imports
  std::string after;   // "": left alone
  std::string machine = one_card;
};

std::unique_ptr<Prepared> prepared_script(const Rewriting& one, const std::string& text) {
  auto prepared = prepare({one.failure, text, one.machine, "4.44.2", "0.33.0", false});
  Script script = Script::read(text);
  const std::vector<Call> loading = loading_calls(script);
  if (loading.empty()) return nullptr;
  prepared->found.call = loading.back();
  prepared->found.script = std::move(script);
  return prepared;
}

void expect_rewritten(const Rewriting& one) {
  const std::string text = imports + one.before;
  const auto prepared = prepared_script(one, text);
  ASSERT_NE(prepared, nullptr) << text;
  const Fix fix = find_fix(prepared->situation);
  if (one.after.empty()) {
    EXPECT_TRUE(fix.status != FixStatus::ready || fix.rewritten.empty()) << fix.rewritten;
    return;
  }
  ASSERT_EQ(fix.status, FixStatus::ready) << text;
  EXPECT_EQ(fix.rewritten, imports + one.after);
  const auto again = prepared_script(one, fix.rewritten);
  ASSERT_NE(again, nullptr);
  const Fix second = find_fix(again->situation);
  if (second.status == FixStatus::ready && !second.rewritten.empty()) {
    EXPECT_EQ(second.rewritten, fix.rewritten);
  }
}

std::string load(const std::string& arguments) {
  return "AutoModelForCausalLM.from_pretrained(" + model + ", " + half + ", " + arguments + ")";
}

TEST(Scripts, ADeviceIsCorrectedWhereItIsWritten) {
  const std::string failure = "device-map-bad-string";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"k = {}\nk[\"device_map\"] = \"gpu\"\nm = " + load("**k"),
       "k = {}\nk[\"device_map\"] = \"cuda\"\nm = " + load("**k")},
      {"k = {\"device_map\": \"gpu\"}\nprint(k)\nm = " + load("**k"),
       "k = {\"device_map\": \"gpu\"}\nprint(k)\nm = " + load("**{**k, \"device_map\": \"cuda\"}")},
      {"a = {}\nb = {\"device_map\": \"gpu\"}\nm = " + load("**(a | b)"),
       "a = {}\nb = {\"device_map\": \"gpu\"}\nm = " + load("**{**(a | b), \"device_map\": \"cuda\"}")},
      {"m = " + load("device_map=\"gpu\" if torch.cuda.is_available() else \"cpu\""),
       "m = " + load("device_map=\"cuda\" if torch.cuda.is_available() else \"cpu\"")},
      {"d = \"gpu\"\nm = " + load("device_map=d") + "\nx = torch.ones(1).to(d)",
       "d = \"cuda\"\nm = " + load("device_map=d") + "\nx = torch.ones(1).to(d)"},
      {"import functools\nf = functools.partial(AutoModelForCausalLM.from_pretrained, device_map=\"gpu\")\nm = "
       "f(\"x\")",
       "import functools\nf = functools.partial(AutoModelForCausalLM.from_pretrained, device_map=\"cuda\")\nm = "
       "f(\"x\")"},
      {"class C:\n    d = \"gpu\"\n\n\nc = C()\nm = " + load("device_map=c.d"),
       "class C:\n    d = \"gpu\"\n\n\nc = C()\nm = " + load("device_map=\"cuda\"")},
      {"m = " + load("device_map=torch.device(\"cuda\", 3)"), "m = " + load("device_map=\"cuda:0\"")},
  };
  for (const auto& [before, after] : cases) expect_rewritten({failure, before + "\n", after + "\n"});
}

TEST(Scripts, WhatTheTextDoesNotTellIsLeftAlone) {
  for (const char* value : {"args.device_map", "os.environ.get(\"MAP\", \"gpu\")", "json.loads(text)[\"map\"]"})
    expect_rewritten({"device-map-bad-string", "m = " + load("device_map=" + std::string(value)) + "\n", ""});
  expect_rewritten({"device-map-missing-modules", "m = " + load("device_map=json.loads(text)") + "\n", ""});
  // the same text as a device elsewhere: the script would fail there
  expect_rewritten(
      {"device-map-bad-string",
       "def f(d=\"gpu\"):\n    m = " + load("device_map=d") + "\n    return torch.ones(1).to(d)\n\n\nf()\n", ""});
}

TEST(Scripts, SizesAreCorrectedInEveryForm) {
  const std::string failure = "max-memory-bad-size";
  expect_rewritten({failure,
                    "s = {i: \"20G\" for i in range(1)}\nm = " + load("device_map=\"auto\", max_memory=s") + "\n",
                    "s = {i: \"20GB\" for i in range(1)}\nm = " + load("device_map=\"auto\", max_memory=s") + "\n"});
  expect_rewritten(
      {failure, "s = dict([(0, \"20G\"), (\"cpu\", \"30G\")])\nm = " + load("device_map=\"auto\", max_memory=s") + "\n",
       "s = dict([(0, \"20GB\"), (\"cpu\", \"30GB\")])\nm = " + load("device_map=\"auto\", max_memory=s") + "\n"});
  expect_rewritten({"max-memory-bad-key",
                    "s = dict(gpu=\"20GiB\", cpu=\"30GiB\")\nm = " + load("device_map=\"auto\", max_memory=s") + "\n",
                    "s = {0: \"20GiB\", \"cpu\": \"30GiB\"}\nm = " + load("device_map=\"auto\", max_memory=s") + "\n"});
}

TEST(Scripts, MovesGoWhereverTheyStand) {
  const std::string loading = "m = " + load("device_map=\"auto\"") + "\n";
  expect_rewritten({"quantized-to",
                    "def ready(x):\n    x = x.to(\"cuda\")\n    return x.eval()\n\n\n" + loading + "m = ready(m)\n",
                    "def ready(x):\n    return x.eval()\n\n\n" + loading + "m = ready(m)\n", one_card});
  expect_rewritten(
      {"quantized-to", loading + "if True:\n    m.to(\"cuda\")\n", loading + "if True:\n    pass\n", one_card});
}

TEST(Scripts, ACastBehindTheCallIsGivenToTheCall) {
  const std::string plain = "AutoModelForCausalLM.from_pretrained(" + model;
  expect_rewritten({"cuda-out-of-memory", "m = " + plain + ").half().to(\"cuda\")\n",
                    "m = " + plain + ", torch_dtype=torch.float16, device_map=\"auto\")\n",
                    "gpu=12GiB:11.4GiB free,gpu=12GiB:11.4GiB free,ram=54GiB,disk=400GiB"});
}

// The same arguments in every form in which scripts give them.
std::vector<std::string> forms_of(const std::string& name, const std::string& value) {
  const std::string call = "AutoModelForCausalLM.from_pretrained(";
  const std::string given = name + "=" + value;
  return {
      "m = " + call + model + ", " + given + ")\n",
      "m = " + call + "\r\n    " + model + ",\r\n    " + given + ",  # here\r\n)\r\n",
      "load_args = {\"" + name + "\": " + value + "}\nm = " + call + model + ", **load_args)\n",
      "load_args = dict(" + given + ")\nprint(load_args)\nm = " + call + model + ", **load_args)\n",
      "load_args = {}\nload_args[\"" + name + "\"] = " + value + "\nm = " + call + model + ", **load_args)\n",
      "value = " + value + "\nm = " + call + model + ", " + name + "=value)\n",
      "value = " + value + "\nprint(value)\nm = " + call + model + ", " + name + "=value)\n",
      "load = lambda path: " + call + "path, " + given + ")\nm = load(" + model + ")\n",
      "from functools import partial\nload = partial(AutoModelForCausalLM.from_pretrained, " + given + ")\nm = load(" +
          model + ")\n",
      "def load(path, **options):\n    return " + call + "path, **options)\n\n\nm = load(" + model + ", " + given +
          ")\n",
      "class Loader:\n    value = " + value + "\n\n    def load(self):\n        return " + call + model + ", " + name +
          "=self.value)\n\n\nm = Loader().load()\n",
      "if (m := " + call + model + ", " + given + ")) is None:\n    pass\n",
  };
}

TEST(Scripts, EveryFormIsRewrittenOnceAndNoMore) {
  const std::vector<std::array<std::string, 4>> cases = {
      {"device-map-bad-string", "device_map", "\"gpu\"", one_card},
      {"device-map-bad-string", "device_map", "\"balancd\"", one_card},
      {"cuda-out-of-memory", "device_map", "{\"\": 0}", "gpu=12GiB:11.4GiB free,ram=54GiB,disk=400GiB"},
      {"cuda-out-of-memory", "device_map", "\"cuda\"",
       "gpu=12GiB:11.4GiB free,gpu=12GiB:11.4GiB free,ram=54GiB,disk=400GiB"},
  };
  for (const auto& [failure, name, value, machine] : cases) {
    for (const std::string& form : forms_of(name, value)) {
      const Rewriting one{failure, "", "", machine};
      const auto prepared = prepared_script(one, imports + form);
      ASSERT_NE(prepared, nullptr) << form;
      const Fix fix = find_fix(prepared->situation);
      ASSERT_EQ(fix.status, FixStatus::ready) << form << machine;
      ASSERT_NE(fix.rewritten, imports + form);
      const auto again = prepared_script(one, fix.rewritten);
      ASSERT_NE(again, nullptr) << fix.rewritten;
      const Fix second = find_fix(again->situation);
      if (second.status == FixStatus::ready && !second.rewritten.empty()) {
        EXPECT_EQ(second.rewritten, fix.rewritten) << machine;
      }
    }
  }
}

}  // namespace
}  // namespace whyfail::fixer
