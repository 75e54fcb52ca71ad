// What is proposed outside of the loading call: packages, environment lines, kernels, another class, the cache in RAM.
#include <algorithm>
#include <set>

#include "fixer/plan/memory_words.h"
#include "fixer/plan/strategy.h"
#include "probes/memory_error.h"
#include "situations.h"

namespace whyfail::fixer {
namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A situation whose paste is one exception of one frame.
struct Pasted {
  explicit Pasted(const Asked& asked, const std::string& message, const std::string& frame_file = "/home/u/run.py",
                  const std::string& function = "<module>")
      : prepared(prepare(asked)) {
    match.failure = asked.failure;
    match.message = message;
    matchers::Raised raised;
    raised.frames.resize(1);
    raised.frames.front().file = frame_file;
    raised.frames.front().function = function;
    matchers::Chain chain;
    chain.raised.push_back(raised);
    reading.chains.push_back(chain);
    reading.cause_chain = 0;
    prepared->situation.match = &match;
    prepared->situation.reading = &reading;
  }
  Fix fix() const { return find_fix(prepared->situation); }

  std::unique_ptr<Prepared> prepared;
  matchers::Match match;
  matchers::Reading reading;
};

Asked asked(const std::string& failure, const std::string& machine = "gpu=8GiB,ram=32GiB,disk=100GiB,os=linux") {
  return {failure,  "AutoModelForCausalLM.from_pretrained(\"meta-llama/Llama-2-7b-hf\", device_map=\"auto\")",
          machine,  "4.57.6",
          "1.12.0", false};
}

const std::string fragmented =
    "CUDA out of memory. Tried to allocate 224.00 MiB. GPU 0 has a total capacity of 8.00 GiB of which 98.19 MiB is "
    "free. Including non-PyTorch memory, this process has 7.80 GiB memory in use. Of the allocated memory 6.74 GiB is "
    "allocated by PyTorch, and 844.00 MiB is reserved by PyTorch but unallocated.";
const std::string full =
    "CUDA out of memory. Tried to allocate 224.00 MiB. GPU 0 has a total capacity of 8.00 GiB of which 98.19 MiB is "
    "free. Including non-PyTorch memory, this process has 7.80 GiB memory in use. Of the allocated memory 7.54 GiB is "
    "allocated by PyTorch, and 44.00 MiB is reserved by PyTorch but unallocated.";

TEST(Commands, APackageIsInstalledWhereItFailed) {
  Pasted shell(asked("bitsandbytes-missing"), "x");
  ASSERT_EQ(shell.fix().commands.size(), 1U);
  EXPECT_EQ(shell.fix().commands.front().line, "python -m pip install -U bitsandbytes");
  Pasted cell(asked("bitsandbytes-missing"), "x", "/tmp/ipykernel_12/34.py");
  ASSERT_EQ(cell.fix().commands.size(), 2U);
  EXPECT_EQ(cell.fix().commands.front().line, "%pip install -U bitsandbytes");
  EXPECT_TRUE(holds(cell.fix().commands.back().why, "restart the kernel"));
}

TEST(Commands, ARequirementOfTheMessageIsTakenAndNothingElseOfIt) {
  Pasted stated(asked("accelerate-missing"), "x");
  stated.match.captures["requirement"] = "accelerate>=0.26.0";
  EXPECT_EQ(stated.fix().commands.front().line, "python -m pip install -U \"accelerate>=0.26.0\"");
  stated.match.captures["requirement"] = "accelerate>=0.26.0; rm -rf ~ #";
  EXPECT_EQ(stated.fix().commands.front().line, "python -m pip install -U \"accelerate>=0.26.0\"");
  Pasted hostile(asked("quantizer-package-missing"), "x");
  hostile.match.captures["package"] = "$(touch x)";
  EXPECT_TRUE(hostile.fix().commands.empty());
  hostile.match.captures["package"] = "--index-url=evil";
  EXPECT_TRUE(hostile.fix().commands.empty());
}

TEST(Commands, AnAllocatorSettingOnlyWhereMemoryIsInPieces) {
  EXPECT_EQ(Pasted(asked("cuda-out-of-memory"), full).fix().commands.size(), 0U);
  const Fix fix = Pasted(asked("cuda-out-of-memory"), fragmented).fix();
  ASSERT_EQ(fix.commands.size(), 1U);
  EXPECT_TRUE(holds(fix.commands.front().line, "expandable_segments:True"));
  // Expandable segments do not exist on Windows.
  EXPECT_TRUE(Pasted(asked("cuda-out-of-memory", "gpu=8GiB,ram=32GiB,disk=100GiB,os=windows"), fragmented)
                  .fix()
                  .commands.empty());
}

TEST(RightClass, IsTheOneThatKnowsTheConfiguration) {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {"AutoModelForCausalLM", "t5.configuration_t5.T5Config", "AutoModelForSeq2SeqLM"},
      {"AutoModelForCausalLM", "qwen2_vl.configuration_qwen2_vl.Qwen2VLConfig", "AutoModelForImageTextToText"},
      {"AutoModelForSeq2SeqLM", "gpt2.configuration_gpt2.GPT2Config", "AutoModelForCausalLM"},
      {"AutoModelForSeq2SeqLM", "whisper.configuration_whisper.WhisperConfig", "AutoModelForSpeechSeq2Seq"},
      {"AutoModelForCausalLM", "clip.configuration_clip.CLIPConfig", "AutoModel"},
  };
  for (const auto& [wrong, config, right] : cases) {
    Asked question = asked("wrong-class-for-checkpoint");
    question.call = wrong + ".from_pretrained(\"some/model\", device_map=\"auto\")";
    Pasted paste(question, "x");
    paste.match.captures = {{"auto_class", wrong}, {"config_class", "transformers.models." + config}};
    const Fix fix = paste.fix();
    ASSERT_EQ(fix.status, FixStatus::ready) << config;
    EXPECT_EQ(fix.call, right + ".from_pretrained(\"some/model\", device_map=\"auto\")");
    EXPECT_EQ(fix.before, "from transformers import " + right + "\n");
    EXPECT_EQ(fix.safety, Safety::needs_review);
  }
}

TEST(RightClass, AConfigurationOfARepositoryIsNotGuessed) {
  Asked question = asked("wrong-class-for-checkpoint");
  Pasted paste(question, "x");
  paste.match.captures = {{"auto_class", "AutoModelForCausalLM"},
                          {"config_class", "transformers_modules.org.repo.configuration_x.XConfig"}};
  EXPECT_EQ(paste.fix().status, FixStatus::none);
}

TEST(Generation, TheCacheMayWaitInRamWhereGenerateFailed) {
  Asked question = asked("cuda-out-of-memory", "gpu=24GiB,ram=32GiB,disk=100GiB,os=linux");
  question.call = "model.generate(**inputs, max_new_tokens=4000)";
  const Fix fix = Pasted(question, full, "/x/site-packages/transformers/generation/utils.py", "generate").fix();
  ASSERT_EQ(fix.status, FixStatus::changes_only);
  ASSERT_EQ(fix.changes.size(), 1U);
  EXPECT_EQ(fix.changes.front().argument, "cache_implementation");
  question.transformers = "4.40.2";
  EXPECT_EQ(Pasted(question, full, "/x/transformers/generation/utils.py", "generate").fix().status, FixStatus::none);
  question.transformers = "4.57.6";
  EXPECT_EQ(Pasted(question, full, "/x/transformers/trainer.py", "train").fix().status, FixStatus::none);
}

TEST(Recipes, NameOnlyStrategiesThatThereAre) {
  std::set<std::string> known = {"install-package", "environment-line", "restart-kernel", "shrink-generation"};
  for (const Strategy& strategy : strategies()) known.insert(std::string(strategy.name));
  for (const kb::FailureSummary& entry : shipped().failures()) {
    const auto failure = shipped().failure(entry.id);
    ASSERT_TRUE(failure) << entry.id;
    for (const kb::Recipe& recipe : failure->recipes)
      EXPECT_EQ(known.count(recipe.strategy), 1U) << entry.id << ": " << recipe.strategy;
  }
}

std::string words_of(const std::string& message) {
  const auto error = probes::memory_error(message);
  return error ? memory_error_words(*error) : std::string();
}

TEST(MemoryWords, TellTheCausesApart) {
  EXPECT_TRUE(holds(words_of(fragmented), "fragmentation")) << words_of(fragmented);
  EXPECT_TRUE(holds(words_of(full), "fragmentation is not the cause")) << words_of(full);
  EXPECT_TRUE(
      holds(words_of("CUDA out of memory. Tried to allocate 40.00 GiB (GPU 1; 23.69 GiB total capacity; 1.00 GiB "
                     "already allocated; 20.00 GiB free; 1.10 GiB reserved in total by PyTorch)"),
            "larger than the card"));
  EXPECT_TRUE(
      holds(words_of("CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 23.69 GiB total capacity; 1.00 GiB "
                     "already allocated; 1.00 GiB free; 1.10 GiB reserved in total by PyTorch)"),
            "other processes"));
  EXPECT_TRUE(
      holds(words_of("CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 23.69 GiB of "
                     "which 20.00 GiB is free. Including non-PyTorch memory, this process has 3.00 GiB memory in "
                     "use."),
            "More was free than asked for"));
}

}  // namespace
}  // namespace whyfail::fixer
