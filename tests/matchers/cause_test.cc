// Which error of a paste is the answer, and what its captures are.
#include <string>

#include "matchers/reading.h"
#include "tests/matchers/written_patterns.h"

namespace whyfail::matchers {
namespace {

Wording with_frames(Wording wording, std::vector<std::string> frames) {
  wording.frames = std::move(frames);
  return wording;
}

Wording with_kind(Wording wording, const std::string& name, CaptureKind kind) {
  wording.captures[name] = kind;
  return wording;
}

Wording negative_int() {
  Wording wording = text_wording("You can't pass device_map as a negative int. Use device_map = 'cpu'");
  wording.nearby = {{"int", R"(device_map\s*=\s*(-[0-9]+)\s*[,)])"}};
  return wording;
}

Wording torch_too_old() {
  Wording wording;
  wording.expression = R"((?:CPU|Disk) offloading requires torch >= 1\.9\.0 or (?:a newer|another) one)";
  wording.exceptions = {"NotImplementedError"};
  return wording;
}

Wording killed() {
  Wording wording;
  wording.expression = R"(.*line [0-9]+: +[0-9]+ Killed .*)";
  return wording;
}

const WrittenPatterns& patterns() {
  static const WrittenPatterns written({
      {"folder", text_wording("The current `device_map` had weights offloaded to the disk. Please provide an "
                              "`offload_folder` for them.")},
      {"key", text_wording("Device {key} is not recognized, available devices are integers(for GPU/XPU), 'mps', 'cpu' "
                           "and 'disk'")},
      {"param", text_wording("{param} doesn't have any device set.")},
      {"module", with_kind(text_wording("The `device_map` does not contain the module {module}."), "module",
                           CaptureKind::quoted)},
      {"params", with_kind(text_wording("The device_map provided does not give any device for the following "
                                        "parameters: {params}"),
                           "params", CaptureKind::list)},
      {"device", text_wording("Invalid device string: '{string}'", {"RuntimeError"})},
      {"model-key", with_frames(text_wording("'model'", {"KeyError"}), {"accelerate/utils/modeling.py"})},
      {"memory", text_wording("", {"MemoryError"})},
      {"negative", negative_int()},
      {"killed", killed()},
      {"torch", torch_too_old()},
      {"offloaded",
       with_kind(
           text_wording("Some parameters are on the meta device because they were offloaded to the {devices}.", {}),
           "devices", CaptureKind::list),
       Severity::warning},
  });
  return written;
}

std::string answer(const std::string& paste) {
  const Reading reading = read_paste(paste, patterns());
  return reading.failures.empty() ? "" : reading.failures.front().failure;
}

std::string capture(const std::string& paste, const std::string& name) {
  const Reading reading = read_paste(paste, patterns());
  if (reading.failures.empty()) return "(no answer)";
  const auto found = reading.failures.front().captures.find(name);
  return found == reading.failures.front().captures.end() ? "(no capture)" : found->second;
}

std::string raised(const std::string& line) {
  return "Traceback (most recent call last):\n"
         "  File \"/home/user/app/run.py\", line 3, in <module>\n"
         "    model = AutoModelForCausalLM.from_pretrained(\"gpt2\", device_map=-2)\n"
         "  File \"/opt/lib/python3.11/site-packages/accelerate/utils/modeling.py\", line 847, in get_max_memory\n"
         "    raise ValueError(\n" +
         line + "\n";
}

const std::string folder_line =
    "ValueError: The current `device_map` had weights offloaded to the disk. Please provide an `offload_folder` for "
    "them.";
const std::string unknown_line = "ValueError: something that nobody wrote down";

TEST(Cause, TheLastErrorOfATraceback) {
  EXPECT_EQ(answer(raised(folder_line)), "folder");
  EXPECT_EQ(answer(raised(unknown_line)), "");
}

TEST(Cause, MessageInOtherQuotesAndWrapped) {
  EXPECT_EQ(answer(raised("ValueError: The current ‘device_map’ had weights off\nloaded to the disk. Please provide an "
                          "\"offload_folder\"\nfor them.")),
            "folder");
}

TEST(Cause, TheWholeMessageCounts) {
  EXPECT_EQ(answer(raised("ValueError: The current `device_map` had weights offloaded to the disk.")), "");
  EXPECT_EQ(answer(raised("ValueError: Oh no. The current `device_map` had weights offloaded to the disk. Please "
                          "provide an `offload_folder` for them.")),
            "");
}

TEST(Cause, TheClassCounts) {
  EXPECT_EQ(answer(raised("KeyError: Device gpu is not recognized, available devices are integers(for GPU/XPU), 'mps', "
                          "'cpu' and 'disk'")),
            "");
  EXPECT_EQ(answer(raised("my.package.ValueError: layer.weight doesn't have any device set.")), "param");
}

TEST(Cause, WalksBackThroughBothConnectives) {
  const std::string during = "\nDuring handling of the above exception, another exception occurred:\n\n";
  const std::string direct = "\nThe above exception was the direct cause of the following exception:\n\n";
  EXPECT_EQ(answer(raised(folder_line) + during + raised(unknown_line)), "folder");
  EXPECT_EQ(answer(raised(folder_line) + direct + raised(unknown_line)), "folder");
  EXPECT_EQ(answer(raised(folder_line) + direct + raised("ValueError: a.b doesn't have any device set.")), "param");
}

TEST(Cause, ATracebackThatIsNotJoinedDoesNotCount) {
  EXPECT_EQ(answer(raised(folder_line) + "retrying ...\n" + raised(unknown_line)), "");
}

TEST(Cause, ALaunchersTrailerIsNotTheEnd) {
  EXPECT_EQ(answer(raised(folder_line) +
                   raised("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \ntrain.py FAILED")),
            "folder");
  EXPECT_EQ(answer(raised(folder_line) +
                   raised("subprocess.CalledProcessError: Command '['python']' returned non-zero exit status 1.")),
            "folder");
}

TEST(Cause, AMissingNameIsAConsequenceOfTheCellThatFailed) {
  const std::string later =
      "Traceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\nNameError: name '";
  EXPECT_EQ(answer(raised(folder_line) + later + "model' is not defined\n"), "folder");
  EXPECT_EQ(answer(raised(folder_line) + later + "tokenizer' is not defined\n"), "");
}

TEST(Cause, ACommonMessageNeedsItsFrame) {
  EXPECT_EQ(answer(raised("KeyError: 'model'")), "model-key");
  EXPECT_EQ(answer("Traceback (most recent call last):\n  File \"job.py\", line 6, in read\n    return d['model']\n"
                   "KeyError: 'model'\n"),
            "");
  EXPECT_EQ(answer(raised("KeyError: 'model.norm'")), "");
}

TEST(Cause, AnExceptionWithoutMessage) {
  EXPECT_EQ(answer(raised("MemoryError")), "memory");
  EXPECT_EQ(answer(raised("MemoryError: tell me more")), "");
}

TEST(Cause, AWarningNeverBeatsAnError) {
  const std::string warning =
      "Some parameters are on the meta device because they were offloaded to the cpu and disk.\n";
  EXPECT_EQ(answer(warning + raised(folder_line)), "folder");
  const Reading reading = read_paste(warning + raised(unknown_line), patterns());
  EXPECT_TRUE(reading.failures.empty());
  ASSERT_EQ(reading.notes.size(), 1U);
  EXPECT_EQ(reading.notes[0].failure, "offloaded");
  EXPECT_EQ(answer(warning), "offloaded");
}

TEST(Cause, AKilledProcessIsTheEnd) {
  EXPECT_EQ(answer("Loading checkpoint shards: 20%\nrun.sh: line 3: 25060 Killed      python chat.py\n"), "killed");
  EXPECT_EQ(answer(raised(unknown_line) + "run.sh: line 3: 25060 Killed      python chat.py\n"), "killed");
}

TEST(Cause, ACutMessageIsKnownIfOnlyOneFailureBeginsLikeIt) {
  EXPECT_EQ(answer(raised("ValueError: The current `device_map` had weights offlo")), "folder");
  EXPECT_EQ(answer(raised("ValueError: The curr")), "");
  EXPECT_EQ(answer(raised("RuntimeError: Invalid device string: 'cuda0'") +
                   "\nDuring handling of the above exception, another exception occurred:\n\n" +
                   raised("ValueError: The current `device_map` had weights offlo")),
            "folder");
  EXPECT_EQ(answer(raised("ValueError: The current `device_map` had weights offlo\nHF_HOME=/data")), "folder");
  EXPECT_EQ(answer(raised("ValueError: The current `device_map` had\nno weights at all")), "");
  EXPECT_EQ(answer("Traceback (most recent call last):\n  File \"app.py\", line 1, in <module>\n    load()\n"
                   "ValueError: The current `device_map` had weights offlo"),
            "");
}

TEST(Cause, ACutMessageMayStopWithinAlternativesOrBehindACapture) {
  EXPECT_EQ(answer(raised("NotImplementedError: Disk offloading requires tor")), "torch");
  EXPECT_EQ(answer(raised("NotImplementedError: Disk offloading requires torch >= 1.9.0 or a")), "torch");
  EXPECT_EQ(answer(raised("NotImplementedError: Disk offloading requires torch >= 1.9.0 or lat")), "");
  EXPECT_EQ(answer(raised("NotImplementedError: Disk swapping requires tor")), "");
  EXPECT_EQ(answer(raised("ValueError: layer.weight doesn't have any dev")), "param");
  // Another message may begin with a capture of a known one, and say something else behind it.
  EXPECT_EQ(answer(raised("ValueError: layer.weight does not fit where it should go, and that is all that is kn")), "");
}

TEST(Cause, AMessageMayStandAboveItsFrames) {
  const std::string newest_first =
      "  File \"/opt/lib/python3.11/site-packages/accelerate/utils/modeling.py\", line 847, in get_max_memory\n"
      "    raise ValueError(\n"
      "  File \"/home/user/app/run.py\", line 3, in <module>\n"
      "    model = AutoModelForCausalLM.from_pretrained(\"gpt2\", device_map=-2)\n";
  EXPECT_EQ(answer(folder_line + "\n" + newest_first), "folder");
  EXPECT_EQ(answer("## Error Details\n- **Node Type:** Loader\n- **Exception Type:** ValueError\n"
                   "- **Exception Message:** " +
                   folder_line.substr(12) + "\n## Stack Trace\n```\n" + newest_first + "```\n## System\n"),
            "folder");
  const Reading reading = read_paste(folder_line + "\n" + newest_first, patterns());
  ASSERT_EQ(reading.chains.back().raised.back().frames.size(), 2U);
  EXPECT_EQ(reading.chains.back().raised.back().frames.front().file, "/home/user/app/run.py");
  // Frames that have an exception of their own do not belong to the one above.
  EXPECT_EQ(answer(folder_line + "\n" + newest_first + unknown_line + "\n"), "");
}

TEST(Cause, AMessageThatBeginsWithAlternativesIsFoundInProse) {
  EXPECT_EQ(
      answer("It says \"NotImplementedError: Disk offloading requires torch >= 1.9.0 or a newer one\" and stops."),
      "torch");
  EXPECT_EQ(answer("I read that disk offloading requires torch of some newer kind."), "");
}

TEST(Cause, AMessageInBoldTextOrInBracketsThatQuote) {
  EXPECT_EQ(answer("The error:\n\n**" + folder_line + "**\n"), "folder");
  EXPECT_EQ(answer("Got _ValueError_: *" + folder_line.substr(12) + "* on Windows 11\n"), "folder");
  EXPECT_EQ(answer("エラーが出ます。「" + folder_line + "」どうすればいいですか?\n"), "folder");
  EXPECT_EQ(answer("При загрузке «" + folder_line + "»— что делать?\n"), "folder");
}

TEST(Cause, ATextInSourceIsNoError) {
  const std::string text = "`device_map` does not go with zero3 here";
  const WrittenPatterns known({{"zero3", text_wording(text)}});
  const auto answers = [&](const std::string& paste) { return !read_paste(paste, known).failures.empty(); };
  EXPECT_TRUE(answers("It says \"" + text + "\" and stops.\n"));
  EXPECT_TRUE(answers("I load it, then \"" + text + "\"\n"));
  EXPECT_FALSE(answers("    if bad:\n        raise ValueError(f\"" + text + "\")\n"));
  EXPECT_FALSE(answers("    if bad:\n        raise ValueError(\n            \"" + text + "\"\n        )\n"));
  EXPECT_FALSE(answers("@@ -12,7 +12,9 @@\n     if bad:\n+        raise ValueError(\n+            \"" + text + "\"\n"));
  EXPECT_FALSE(answers("with self.assertRaisesRegex(ValueError, \"" + text + "\"):\n    load()\n"));
  EXPECT_FALSE(answers("src/transformers/modeling_utils.py:379:        raise ValueError(\"" + text + "\")\n"));
}

TEST(Cause, LigaturesOfAPdfFileAreLetters) {
  EXPECT_EQ(answer(raised(
                "ValueError: The current ‘device_map‘ had weights o\xEF\xAC\x84oaded to the disk. Please provide an "
                "‘o\xEF\xAC\x84oad_folder‘ for them.")),
            "folder");
}

TEST(Cause, AMessageTypedOffAScreenHasSwappedLetters) {
  EXPECT_EQ(answer("typed off: ValueError: The current device_map had weigths offloaded to the dsik. Please provide an "
                   "offload_folder for them."),
            "folder");
  EXPECT_EQ(answer("typed off: ValueError: The current device_map had weights offloaded to the DVD. Please provide an "
                   "offload_folder for them."),
            "");
}

TEST(Captures, ComeOutAsTheyWereWritten) {
  const std::string known = " is not recognized, available devices are integers(for GPU/XPU), 'mps', 'cpu' and 'disk'";
  EXPECT_EQ(capture(raised("ValueError: Device cuda:0" + known), "key"), "cuda:0");
  EXPECT_EQ(capture(raised("ValueError: The `device_map` does not contain the module model.layers.0."), "module"),
            "model.layers.0");
  EXPECT_EQ(capture(raised("ValueError: The `device_map` does not contain the module ."), "module"), "");
  EXPECT_EQ(capture(raised("ValueError: The device_map provided does not give any device for the following parameters: "
                           "model.norm.weight, lm_head.weight"),
                    "params"),
            "model.norm.weight, lm_head.weight");
  EXPECT_EQ(capture(raised("RuntimeError: Invalid device string: 'cuda0'"), "string"), "cuda0");
}

TEST(Captures, AWordHoldsNoBlank) {
  EXPECT_EQ(answer(raised("ValueError: the layer of mine doesn't have any device set.")), "");
}

TEST(Captures, AreReadOffTheCallNearby) {
  EXPECT_EQ(capture(raised("ValueError: You can't pass device_map as a negative int. Use device_map = 'cpu'"), "int"),
            "-2");
}

TEST(Captures, PointBackIntoThePaste) {
  const std::string paste = raised(folder_line);
  const Reading reading = read_paste(paste, patterns());
  ASSERT_EQ(reading.failures.size(), 1U);
  EXPECT_EQ(reading.failures[0].line, 6);
  EXPECT_EQ(reading.failures[0].exception, "ValueError");
  const Span where = reading.failures[0].where;
  EXPECT_EQ(paste.substr(where.begin, where.end - where.begin), folder_line.substr(12));
}

TEST(Prose, AWholeMessageIsAnswered) {
  EXPECT_EQ(answer("Since yesterday I get \"Invalid device string: 'cuda0'\" and do not know why."), "device");
  EXPECT_EQ(capture("Now it says RuntimeError: Invalid device string: 'cuda0'. What next?", "string"), "cuda0");
  EXPECT_EQ(capture("Abbruch mit \u201emodel.norm.weight doesn't have any device set.\u201c, warum?", "param"),
            "model.norm.weight");
}

TEST(Prose, PartOfAMessageIsNot) {
  EXPECT_EQ(answer("It says that the current device_map had weights offloaded to the disk. What now?"), "");
}

TEST(Prose, OfTwoTheLastIsTheAnswer) {
  EXPECT_EQ(
      answer("First ValueError: a.b doesn't have any device set. Then, after a change, RuntimeError: Invalid device "
             "string: 'cuda0'. Help!"),
      "device");
}

TEST(Prose, SourceAndCommentsAreNoErrors) {
  EXPECT_EQ(answer("    raise RuntimeError(\"Invalid device string: 'cuda0'\")\n"), "");
  EXPECT_EQ(
      answer("def test():\n    # it says: Invalid device string: 'cuda0'\n    expected = \"Invalid device string: "
             "'cuda0'\"\n    assert expected\n"),
      "");
  EXPECT_EQ(
      answer("/opt/modeling.py:379:            raise ValueError(\n/opt/modeling.py-380-                \"model.norm "
             "doesn't have any device set.\"\n"),
      "");
}

TEST(Hostile, NothingCrashes) {
  for (const std::string& paste :
       {std::string(), std::string(1, '\0'), std::string("\xff\xfe\xff"), std::string(5000, '{'),
        raised("ValueError: \xe2\x80"), raised("ValueError:"), raised(":")}) {
    EXPECT_EQ(answer(paste), "");
  }
}

TEST(Hostile, RepeatedBeginningsTakeLinearTime) {
  std::string paste;
  for (int i = 0; i < 20000; ++i) paste += "Invalid device string: ";
  EXPECT_LE(read_paste(paste, patterns()).work.patterns_compiled, 3U);
}

}  // namespace
}  // namespace whyfail::matchers
