// Tracebacks in the layouts of Python, IPython, Rich, pytest and others.
#include "matchers/traceback.h"

#include <gtest/gtest.h>

#include "tests/matchers/reading_forms.h"

namespace whyfail::matchers {
namespace {

TEST(Traceback, PlainWithCarets) {
  const std::string_view paste = R"(loading
Traceback (most recent call last):
  File "/home/u/run.py", line 5, in <module>
    model = load("gpt2", device_map="auto")
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/venv/lib/x/modeling.py", line 153, in load
    raise ValueError(
ValueError: no room
for it
)";
  EXPECT_EQ(chains_of(paste),
            "ValueError: no room/for it [/home/u/run.py:5 <module>; /venv/lib/x/modeling.py:153 load]\n");
  EXPECT_EQ(places_that_lie(paste), "");
  const Chain chain = read_all(paste).chains.at(0);
  EXPECT_EQ(chain.raised[0].line, 8);
  ASSERT_EQ(chain.raised[0].frames[0].source.size(), 1U);
  EXPECT_EQ(chain.raised[0].frames[0].source[0].text, "    model = load(\"gpt2\", device_map=\"auto\")");
  EXPECT_EQ(chain.raised[0].frames[0].source[0].number, 5);
  EXPECT_TRUE(chain.raised[0].frames[0].source[0].current);
}

TEST(Traceback, BothConnectivesJoinAndOthersDoNot) {
  EXPECT_EQ(chains_of(R"(Traceback (most recent call last):
  File "a.py", line 1, in f
    x()
KeyError: 'a'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 2, in g
    y()
pkg.errors.Odd: b

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "a.py", line 3, in h
    z()
RuntimeError: c
Traceback (most recent call last):
  File "b.py", line 4, in i
SystemExit: 1
)"),
            "KeyError: 'a' [a.py:1 f] ->during\n"
            "pkg.errors.Odd: b [a.py:2 g] ->cause\n"
            "RuntimeError: c [a.py:3 h]\n"
            "--\n"
            "SystemExit: 1 [b.py:4 i]\n");
}

TEST(Traceback, Python313ShowsTheWholeCall) {
  const std::string_view paste = R"(Traceback (most recent call last):
  File "/w/run.py", line 4, in <module>
    model = AutoModel.from_pretrained(
        "gpt2",
        device_map="auto",
    )
  File "/w/lib.py", line 9, in from_pretrained
    raise ValueError(
    ...<4 lines>...
    )
ValueError: no
)";
  EXPECT_EQ(chains_of(paste), "ValueError: no [/w/run.py:4 <module>; /w/lib.py:9 from_pretrained]\n");
  const Frame frame = read_all(paste).chains.at(0).raised[0].frames[0];
  ASSERT_EQ(frame.source.size(), 4U);
  EXPECT_EQ(frame.source[1].text, "        \"gpt2\",");
  EXPECT_EQ(frame.source[0].number, 4);
  EXPECT_EQ(frame.source[1].number, 0);
}

TEST(Traceback, ExceptionGroups) {
  const std::string_view paste = R"(  + Exception Group Traceback (most recent call last):
  |   File "/w/run.py", line 22, in <module>
  |     asyncio.run(main())
  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/w/run.py", line 13, in warm_up
    |     setup()
    | ValueError: first
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "/w/run.py", line 14, in other
    |     again()
    | KeyError: 'second'
    +------------------------------------
done
)";
  EXPECT_EQ(chains_of(paste),
            "ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions) [/w/run.py:22 <module>]\n"
            "ValueError: first [/w/run.py:13 warm_up]\n"
            "KeyError: 'second' [/w/run.py:14 other]\n");
  EXPECT_EQ(places_that_lie(paste), "");
}

TEST(Traceback, IPythonWithCells) {
  const std::string_view paste = R"(---------------------------------------------------------------------------
ValueError                                Traceback (most recent call last)
Cell In[2], line 3
      1 from transformers import AutoModel
----> 3 model = AutoModel.from_pretrained(
      4     "gpt2",
      5     device_map="auto")

File ~/env/lib/transformers/auto_factory.py:600, in _Base.from_pretrained(cls, *args, **kwargs)
    598 if True:
--> 600     return model_class.from_pretrained(
    601         *args)

ValueError: no
)";
  EXPECT_EQ(chains_of(paste),
            "ValueError: no [Cell In[2]:3 ; ~/env/lib/transformers/auto_factory.py:600 _Base.from_pretrained]\n");
  EXPECT_EQ(places_that_lie(paste), "");
  const Frame cell = read_all(paste).chains.at(0).raised[0].frames[0];
  ASSERT_EQ(cell.source.size(), 4U);
  EXPECT_EQ(cell.source[1].text, "model = AutoModel.from_pretrained(");
  EXPECT_EQ(cell.source[1].number, 3);
  EXPECT_TRUE(cell.source[1].current);
  EXPECT_FALSE(cell.source[2].current);
  EXPECT_EQ(cell.source[2].text, "    \"gpt2\",");
}

TEST(Traceback, OlderIPython) {
  EXPECT_EQ(chains_of(R"(---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
<ipython-input-2-5153b665b51c> in <module>
----> 1 m = load("x")

~/env/lib/x.py in load(name, *args)
    562     a = 1
--> 563     return go(name)

RuntimeError: first

The above exception was the direct cause of the following exception:

ValueError                                Traceback (most recent call last)
Input In [4], in <cell line: 1>()
----> 1 m = load("x")

ValueError: second
)"),
            "RuntimeError: first [<ipython-input-2-5153b665b51c>:1 <module>; ~/env/lib/x.py:563 load] ->cause\n"
            "ValueError: second [Input In [4]:1 <module>]\n");
}

TEST(Traceback, RichBoxWithFoldedPathsAndLocals) {
  const std::string_view paste = R"(╭──────────────── Traceback (most recent call last) ─────────────────╮
│ /home/user/eval.py:3 in <module>                                   │
│                                                                    │
│   1 from transformers import AutoModel                             │
│ ❱ 3 model = AutoModel.from_pretrained("opt", load_in_8bit=True)    │
│                                                                    │
│ /home/user/env/lib/python3.11/site-packages/transformers/auto_facto│
│ ry.py:564 in from_pretrained                                       │
│                                                                    │
│   561 │   │   │   kwargs = {}                                      │
│ ❱ 564 │   │   return model_class.from_pretrained(                  │
│                                                                    │
│ ╭───────────────────────────── locals ───────────────────────────╮ │
│ │ kwargs = {'a': 1}                                              │ │
│ ╰────────────────────────────────────────────────────────────────╯ │
╰────────────────────────────────────────────────────────────────────╯
RuntimeError: No GPU found. A GPU is needed for
quantization.
)";
  EXPECT_EQ(chains_of(paste),
            "RuntimeError: No GPU found. A GPU is needed for/quantization. [/home/user/eval.py:3 <module>; "
            "/home/user/env/lib/python3.11/site-packages/transformers/auto_factory.py:564 from_pretrained]\n");
  const std::vector<Frame> frames = read_all(paste).chains.at(0).raised[0].frames;
  ASSERT_EQ(frames[0].source.size(), 2U);
  EXPECT_EQ(frames[0].source[1].text, "model = AutoModel.from_pretrained(\"opt\", load_in_8bit=True)");
  EXPECT_TRUE(frames[0].source[1].current);
  ASSERT_EQ(frames[1].source.size(), 2U);
  EXPECT_EQ(frames[1].source[0].text, "            kwargs = {}");
}

TEST(Traceback, RichBoxInPlainCharacters) {
  EXPECT_EQ(chains_of(R"(+----------- Traceback (most recent call last) -----------+
| C:\work\eval.py:3 in <module>                           |
|                                                         |
|   1 import x                                            |
| > 3 x.go()                                              |
+---------------------------------------------------------+
ValueError: no
)"),
            "ValueError: no [C:\\work\\eval.py:3 <module>]\n");
}

TEST(Traceback, PytestReports) {
  const std::string_view paste = R"(=================================== FAILURES ===================================
__________________________________ test_load ___________________________________

    def test_load():
>       model = AutoModel.from_pretrained("opt", device_map="")

test_model.py:5:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

cls = <class 'Auto'>

    def from_pretrained(cls):
>               raise ValueError(
                    "When passing")
E               ValueError: When passing device_map
E                 as a string

../env/lib/modeling_utils.py:3062: ValueError
=========================== short test summary info ============================
FAILED test_model.py::test_load - ValueError: When passing dev...
)";
  EXPECT_EQ(chains_of(paste),
            "ValueError: When passing device_map/  as a string [test_model.py:5 ; "
            "../env/lib/modeling_utils.py:3062 ]\n");
  const Frame frame = read_all(paste).chains.at(0).raised[0].frames[0];
  ASSERT_FALSE(frame.source.empty());
  EXPECT_EQ(frame.source.back().text, "        model = AutoModel.from_pretrained(\"opt\", device_map=\"\")");
  EXPECT_TRUE(frame.source.back().current);
}

TEST(Traceback, PytestShortLayout) {
  EXPECT_EQ(chains_of(R"(____ test_load ____
test_model.py:5: in test_load
    load()
lib.py:9: in load
    raise KeyError("x")
E   KeyError: 'x'
)"),
            "KeyError: 'x' [test_model.py:5 test_load; lib.py:9 load]\n");
}

TEST(Traceback, LoguruWithValues) {
  EXPECT_EQ(chains_of(R"(2026-11-30 12:33:42.069 | ERROR | __main__:<module>:14 - An error has been caught:
Traceback (most recent call last):

> File "/home/user/finetune.py", line 14, in <module>
    load_model()
    └ <function load_model at 0x7f3957e74400>

  File "/home/user/finetune.py", line 8, in load_model
    model = Auto.from_pretrained("opt", torch_dtype=torch.float16)
            │                                       │     └ torch.float16
            └ <class 'Auto'>

ValueError: no room
2026-11-30 12:33:42.069 | INFO | __main__:<module>:15 - done
)"),
            "ValueError: no room [/home/user/finetune.py:14 <module>; /home/user/finetune.py:8 load_model]\n");
}

TEST(Traceback, FaulthandlerListsTheLastCallFirst) {
  EXPECT_EQ(chains_of(R"(Windows fatal exception: access violation

Current thread 0x00001234 (most recent call first):
  File "F:\lib\modeling_utils.py", line 548 in load_state_dict
  File "F:\run.py", line 6 in <module>
)"),
            ": Windows fatal exception: access violation [F:\\run.py:6 <module>; "
            "F:\\lib\\modeling_utils.py:548 load_state_dict]\n");
}

TEST(Traceback, RemoteTracebackOfAPool) {
  EXPECT_EQ(chains_of(R"(multiprocessing.pool.RemoteTraceback:
"""
Traceback (most recent call last):
  File "/w/run.py", line 7, in setup
    go()
ValueError: inner
"""

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/w/run.py", line 15, in <module>
    print(future.result())
ValueError: inner
)"),
            "ValueError: inner [/w/run.py:7 setup] ->cause\nValueError: inner [/w/run.py:15 <module>]\n");
}

TEST(Traceback, CutTopAndBottom) {
  EXPECT_EQ(chains_of("    go()\n  File \"/w/a.py\", line 7, in f\n    g()\nValueError: x\n"),
            "ValueError: x [/w/a.py:7 f]\n");
  EXPECT_EQ(chains_of("Traceback (most recent call last):\n  File \"/w/a.py\", line 7, in f\n    raise ValueError(\n"),
            ":  [/w/a.py:7 f]\n");
  EXPECT_EQ(chains_of("ValueError                     Traceback (most recent call last)\nCell In[1], line 1\n"
                      "----> 1 go()\n"),
            "ValueError:  [Cell In[1]:1 ]\n");
}

TEST(Traceback, OnlyTheLastLine) {
  EXPECT_EQ(chains_of("torch.cuda.OutOfMemoryError: CUDA out of memory.\n"),
            "torch.cuda.OutOfMemoryError: CUDA out of memory. []\n");
  EXPECT_EQ(chains_of("MemoryError\n"), "MemoryError:  []\n");
}

TEST(Traceback, ProseIsNone) {
  EXPECT_EQ(chains_of("Error: something\nNote: this is not one.\nSteps to do it: none\n"
                      "UserWarning: shown, not raised\n"),
            "");
}

TEST(Traceback, MessageEndsAtTheNextRecordAndGoesOnAfterAColon) {
  EXPECT_EQ(chains_of("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nOSError: one:\n\n  two\n"
                      "2026-11-30 12:00:00 INFO next\n"),
            "OSError: one://  two [a.py:1 f]\n");
}

TEST(Traceback, DeepRecursionAndManyLinksAreLinear) {
  std::string deep = "Traceback (most recent call last):\n";
  for (int i = 0; i < 5000; ++i) deep += "  File \"a.py\", line 1, in f\n    f()\n";
  deep += "RecursionError: deep\n";
  EXPECT_EQ(read_all(deep).chains.at(0).raised.at(0).frames.size(), 5000U);
  std::string linked;
  for (int i = 0; i < 1000; ++i) {
    linked +=
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 1\n\n"
        "During handling of the above exception, another exception occurred:\n\n";
  }
  EXPECT_EQ(read_all(linked).chains.at(0).raised.size(), 1000U);
}

}  // namespace
}  // namespace whyfail::matchers
