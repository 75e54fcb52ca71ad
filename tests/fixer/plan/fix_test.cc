// One call a kind of failure, in releases of both allocators: what the fix makes of it.
#include <algorithm>
#include <set>

#include "fixer/plan/commands.h"
#include "situations.h"

namespace whyfail::fixer {
namespace {

const char* const one_card = "gpu=24GiB:23GiB free,ram=56GiB,disk=500GiB";
const char* const small_card = "gpu=8GiB:7.4GiB free,ram=54GiB,disk=400GiB";
const char* const two_cards = "gpu=12GiB:11.4GiB free,gpu=12GiB:11.5GiB free,ram=54GiB,disk=400GiB";

Asked in_4_44(const std::string& failure, const std::string& call, const std::string& machine = one_card) {
  return {failure, call, machine, "4.44.2", "0.33.0", false};
}
Asked in_5_5(const std::string& failure, const std::string& call, const std::string& machine = one_card) {
  return {failure, call, machine, "5.5.0", "1.13.0", false};
}

std::string seven_b(const std::string& arguments) {
  return "AutoModelForCausalLM.from_pretrained(\"meta-llama/Llama-2-7b-hf\", " + arguments + ")";
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Fix, WrongDeviceStringsBecomeTheNearestName) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\"gpu\"", "\"cuda\""},
      {"\"GPU\"", "\"cuda\""},
      {"\"Auto\"", "\"auto\""},
      {"\"balance\"", "\"balanced\""},
      {"\"sequental\"", "\"sequential\""},
      {"\"cuda0\"", "\"cuda:0\""},
      {"\"gpu:0\"", "\"cuda:0\""},
      {"\"cpu \"", "\"cpu\""},
  };
  for (const auto& [wrong, right] : cases) {
    for (const Asked& asked :
         {in_4_44("device-map-bad-string", seven_b("torch_dtype=torch.float16, device_map=" + wrong)),
          in_5_5("device-map-bad-string", seven_b("dtype=torch.float16, device_map=" + wrong))}) {
      const Fix fix = fix_for(asked);
      ASSERT_EQ(fix.status, FixStatus::ready) << wrong << " in " << asked.transformers;
      EXPECT_TRUE(holds(fix.call, "device_map=" + right)) << fix.call;
      EXPECT_EQ(fix.safety, Safety::same_results);
      EXPECT_TRUE(holds(fix.verified, asked.transformers)) << fix.verified;
    }
  }
}

TEST(Fix, AGpuThatIsNotThereIsNeverReplacedSilently) {
  const Fix fix =
      fix_for(in_4_44("invalid-device-ordinal", seven_b("torch_dtype=torch.float16, device_map=\"cuda:7\"")));
  if (fix.status != FixStatus::ready) GTEST_FAIL() << "no fix for cuda:7";
  EXPECT_TRUE(holds(fix.call, "\"cuda:0\"")) << fix.call;
  ASSERT_FALSE(fix.changes.empty());
  EXPECT_TRUE(holds(fix.changes.front().reason, "no GPU 7")) << fix.changes.front().reason;
}

TEST(Fix, AModelTooLargeForOneCardIsSpread) {
  const Fix fix =
      fix_for(in_5_5("cuda-out-of-memory", seven_b("dtype=torch.float16, device_map={\"\": 0}"), two_cards));
  ASSERT_EQ(fix.status, FixStatus::ready);
  EXPECT_TRUE(holds(fix.call, "device_map=\"auto\"")) << fix.call;
  EXPECT_EQ(fix.safety, Safety::same_results);
  std::uint64_t on_gpus = 0;
  for (const DeviceBudget& device : fix.devices) {
    if (std::holds_alternative<std::int64_t>(device.device)) on_gpus += device.weights_bytes;
  }
  EXPECT_GE(on_gpus, 2 * 6738415616U) << "all of the model's float16 parameters, and nothing of it in RAM";
}

TEST(Fix, MaxMemoryIsCorrectedInPlace) {
  const Fix keys = fix_for(in_4_44(
      "max-memory-bad-key",
      seven_b("torch_dtype=torch.float16, device_map=\"auto\", max_memory={\"0\": \"20GiB\", \"cpu\": \"30GiB\"}")));
  ASSERT_EQ(keys.status, FixStatus::ready);
  EXPECT_TRUE(holds(keys.call, "max_memory={0: \"20GiB\", \"cpu\": \"30GiB\"}")) << keys.call;
  const Fix units = fix_for(
      in_4_44("max-memory-bad-size",
              seven_b("torch_dtype=torch.float16, device_map=\"auto\", max_memory={0: \"20G\", \"cpu\": \"0.03TB\"}")));
  ASSERT_EQ(units.status, FixStatus::ready);
  EXPECT_TRUE(holds(units.call, "max_memory={0: \"20GB\", \"cpu\": \"30GB\"}")) << units.call;
}

TEST(Fix, AQuantizedModelThatSpillsGetsFewerBitsOrStaysInRam) {
  const Fix fix = fix_for(in_4_44("quantized-modules-on-cpu-or-disk",
                                  "AutoModelForCausalLM.from_pretrained(\"meta-llama/Llama-2-13b-hf\", "
                                  "quantization_config=BitsAndBytesConfig(load_in_8bit=True), device_map=\"auto\")",
                                  "gpu=12GiB:11.4GiB free,ram=54GiB,disk=400GiB"));
  ASSERT_EQ(fix.status, FixStatus::ready);
  EXPECT_EQ(fix.safety, Safety::changes_results);
  EXPECT_TRUE(holds(fix.call, "load_in_4bit=True") || holds(fix.call, "llm_int8_enable_fp32_cpu_offload=True"))
      << fix.call;
  EXPECT_FALSE(fix.cost.empty());
}

// Their kernels refuse modules in RAM: an answer that leaves some there would fail as the failing call did.
TEST(Fix, PackedCheckpointsOfGpuKernelsStayOnTheGpus) {
  for (const char* name : {"TheBloke/Llama-2-13B-chat-GPTQ", "TheBloke/Llama-2-13B-chat-AWQ"}) {
    for (const char* release : {"4.44.2", "5.5.0"}) {
      Asked asked{"cuda-out-of-memory",
                  "AutoModelForCausalLM.from_pretrained(\"" + std::string(name) + "\", device_map=\"auto\")",
                  "gpu=8GiB,ram=56GiB,disk=500GiB", release, release[0] == '4' ? "0.33.0" : "1.13.0"};
      auto prepared = prepare(asked);
      prepared->situation.planning = true;
      const Fix lacking = find_fix(prepared->situation);
      SCOPED_TRACE(std::string(name) + ", transformers " + release + ": " + lacking.short_of);
      EXPECT_EQ(lacking.status, FixStatus::no_fit);
      const std::string offer = "--context ";
      const auto at = lacking.short_of.find(offer);
      ASSERT_NE(at, std::string::npos) << "on the card it fits beside a smaller cache";
      prepared->situation.options.context = std::stoull(lacking.short_of.substr(at + offer.size()));
      const Fix fitting = find_fix(prepared->situation);
      ASSERT_EQ(fitting.status, FixStatus::ready);
      for (const DeviceBudget& device : fitting.devices) {
        EXPECT_EQ(device.weights_bytes != 0, device.device == Device(std::int64_t{0}));
      }
      ++prepared->situation.options.context;
      EXPECT_EQ(find_fix(prepared->situation).status, FixStatus::no_fit) << "more than was offered fits too";
    }
  }
}

TEST(Fix, WhatFitsNowhereSaysHowMuchIsShort) {
  const Fix fix = fix_for(in_4_44("cuda-out-of-memory",
                                  "AutoModelForCausalLM.from_pretrained(\"meta-llama/Llama-2-70b-hf\", "
                                  "device_map=\"cuda\", torch_dtype=torch.float16)",
                                  "gpu=8GiB:7.4GiB free,ram=10GiB,disk=4GiB"));
  // safetensors weights need no room on the disk, so that a map exists; on a card this small it is an offload to the
  // file.
  if (fix.status == FixStatus::no_fit) {
    EXPECT_TRUE(holds(fix.short_of, "GiB")) << fix.short_of;
  } else {
    ASSERT_EQ(fix.status, FixStatus::ready);
    EXPECT_TRUE(holds(fix.cost, "disk")) << fix.cost;
  }
}

TEST(Fix, MovingADispatchedModelIsDropped) {
  Asked asked =
      in_4_44("quantized-to",
              "from transformers import AutoModelForCausalLM\n"
              "model = AutoModelForCausalLM.from_pretrained(\"meta-llama/Llama-2-7b-hf\", torch_dtype=torch.float16, "
              "device_map=\"auto\")\nmodel = model.to(\"cuda\")\nprint(model)\n",
              small_card);
  asked.script = true;
  const Fix fix = fix_for(asked);
  ASSERT_EQ(fix.status, FixStatus::ready);
  EXPECT_FALSE(holds(fix.rewritten, ".to(")) << fix.rewritten;
  EXPECT_TRUE(holds(fix.rewritten, "print(model)\n"));
}

// A paste shows the move behind the call, or the statement that failed: what is said to be mended must leave it out.
TEST(Fix, MovesThatAPasteShowsAreDroppedWhereWeightsAreSpread) {
  for (const auto& [chained, failing] :
       {std::pair<std::string, std::string>{".to(\"cuda\")", ""}, {".eval().cuda()", ""}, {"", "model.to(\"cuda\")"}}) {
    auto prepared = prepare(in_4_44("cuda-out-of-memory", seven_b("torch_dtype=torch.float16"), small_card));
    prepared->found.chained = chained;
    prepared->found.failing = failing;
    const Fix fix = find_fix(prepared->situation);
    SCOPED_TRACE(chained + failing);
    ASSERT_EQ(fix.status, FixStatus::ready);
    EXPECT_TRUE(holds(fix.call, "device_map=\"auto\"")) << fix.call;
    EXPECT_TRUE(holds(fix.why_here, "short on GPU 0")) << fix.why_here;
    EXPECT_TRUE(std::any_of(fix.changes.begin(), fix.changes.end(), [](const Change& change) {
      return change.new_value.empty() && (holds(change.old_value, ".to(") || holds(change.old_value, ".cuda("));
    }));
  }
}

// A report that tells sizes, not what is free: the best case is computed, and said to be that.
TEST(Fix, SizesWithoutWhatIsFreeAreTheBestCase) {
  const std::string quantized =
      "AutoModelForCausalLM.from_pretrained(\"mistralai/Mixtral-8x22B-v0.1\", load_in_4bit=True, device_map=\"auto\")";
  for (const auto& [model, status] :
       {std::pair<std::string, FixStatus>{"8x22B", FixStatus::no_fit}, {"8x7B", FixStatus::none}}) {
    std::string call = quantized;
    call.replace(call.find("8x22B"), 5, model);
    auto prepared = prepare(in_4_44("quantized-modules-on-cpu-or-disk", call, "gpu=24GiB,gpu=24GiB,ram=64GiB"));
    prepared->machine.memory.total_bytes = prepared->machine.memory.available_bytes;
    prepared->machine.memory.available_bytes.reset();
    for (probes::Gpu& gpu : prepared->machine.gpus) gpu.free_bytes.reset();
    const Fix fix = find_fix(prepared->situation);
    SCOPED_TRACE(model + ": " + fix.short_of);
    EXPECT_EQ(fix.status, status);
    EXPECT_TRUE(fix.verified.empty());
    EXPECT_TRUE(
        std::any_of(fix.needs.begin(), fix.needs.end(), [](const Need& need) { return need.fact == "free memory"; }));
  }
}

// Names in a pasted call mean what the paste's code assigns to them; where a step edits that line, it is shown.
TEST(Fix, DefinitionsThatAPasteShowsTakePart) {
  auto prepared =
      prepare(in_4_44("quantized-modules-on-cpu-or-disk",
                      "AutoModelForCausalLM.from_pretrained(name, quantization_config=q, device_map=\"auto\")",
                      "gpu=12GiB,ram=32GiB,disk=100GiB"));
  prepared->found.definitions = {"name = \"meta-llama/Llama-2-13b-hf\"", "q = BitsAndBytesConfig(load_in_8bit=True)"};
  const Fix fix = find_fix(prepared->situation);
  ASSERT_EQ(fix.status, FixStatus::ready);
  EXPECT_EQ(fix.call, prepared->found.text);
  EXPECT_TRUE(holds(fix.before, "q = BitsAndBytesConfig(load_in_4bit=True)\n")) << fix.before;
  EXPECT_TRUE(holds(fix.verified, "placement")) << fix.verified;
}

// What keeps the results but computes from the disk is not all that is offered where 16 bits would nearly fit.
TEST(Fix, AFasterCallWithMoreStepsIsAnAlternative) {
  const Fix fix =
      fix_for(in_4_44("cuda-out-of-memory", seven_b("device_map=\"cuda\""), "gpu=12GiB,ram=12GiB,disk=90GiB"));
  ASSERT_EQ(fix.status, FixStatus::ready);
  EXPECT_EQ(fix.safety, Safety::same_results);
  EXPECT_TRUE(std::any_of(fix.alternatives.begin(), fix.alternatives.end(), [](const Fix& other) {
    return holds(other.call, "torch_dtype") && holds(other.call, "device_map=\"auto\"");
  }));
  std::set<std::set<std::string>> different;
  for (const Fix& other : fix.alternatives) {
    std::set<std::string> arguments;
    for (const Change& change : other.changes) arguments.insert(change.argument + change.new_value);
    EXPECT_TRUE(different.insert(arguments).second) << "offered twice: " << other.call;
  }
}

TEST(Fix, PickledWeightsWaitForTheTorchThatOpensThem) {
  for (const auto& [torch, ready] : {std::pair<std::string, bool>{"2.5.1+cu121", false}, {"2.6.0", true}}) {
    auto prepared = prepare({"offload-folder-required", seven_b("torch_dtype=torch.float16, device_map=\"auto\""),
                             "gpu=8GiB:7.4GiB free,ram=4GiB,disk=400GiB", "4.53.3", "1.8.1"});
    prepared->machine.packages["torch"] = torch;
    Model pickled;
    pickled.safetensors = false;
    const auto command =
        newer_torch(prepared->situation, pickled, {{*kb::Release::parse("4.53.3"), *kb::Release::parse("1.8.1")}});
    EXPECT_EQ(!command, ready) << torch;
    EXPECT_TRUE(ready || holds(command.value_or(Command{}).line, "\"torch>=2.6")) << torch;
    pickled.safetensors = true;
    EXPECT_FALSE(
        newer_torch(prepared->situation, pickled, {{*kb::Release::parse("4.53.3"), *kb::Release::parse("1.8.1")}}));
  }
}

TEST(Fix, AnArgumentOfAnotherReleaseIsRenamed) {
  const Fix fix = fix_for(in_4_44("unexpected-load-kwarg", seven_b("device_map=\"auto\", dtype=torch.float16")));
  ASSERT_EQ(fix.status, FixStatus::ready);
  EXPECT_TRUE(holds(fix.call, "torch_dtype=torch.float16")) << fix.call;
}

TEST(Fix, WithoutAMachineItAsksForOne) {
  Asked asked = in_4_44("cuda-out-of-memory", seven_b("device_map=\"cuda\""));
  const auto prepared = prepare(asked);
  prepared->situation.machine = nullptr;
  const Fix fix = find_fix(prepared->situation);
  EXPECT_NE(fix.status, FixStatus::ready);
  ASSERT_FALSE(fix.needs.empty());
  EXPECT_EQ(fix.needs.front().fact, "gpus");
}

// Without the model's sizes nobody can say that it fits: such a change is a guess, and would hide the advice.
TEST(Fix, NothingIsSaidToFitWhoseSizeIsNotKnown) {
  for (const char* failure : {"two-devices", "trained-quantized-distributed", "no-split-modules-missing",
                              "whole-model-on-disk", "quantized-modules-on-cpu-or-disk"}) {
    for (const char* arguments :
         {"device_map=\"auto\"", "device_map={\"\": \"disk\"}", "device_map=\"auto\", load_in_8bit=True"}) {
      const Fix fix =
          fix_for(in_4_44(failure, "AutoModelForCausalLM.from_pretrained(name, " + std::string(arguments) + ")"));
      for (const Change& change : fix.changes) {
        EXPECT_FALSE(holds(change.reason, "fits") || holds(change.reason, "there is room") ||
                     holds(change.reason, "half"))
            << failure << ", " << arguments << ": " << change.reason;
      }
    }
  }
  // A config that the text does not show may quantize: sizes are not known either.
  const Fix hidden = fix_for(in_4_44("quantized-to", seven_b("quantization_config=config, device_map=\"cpu\"")));
  EXPECT_TRUE(hidden.verified.empty()) << hidden.verified;
}

// Nothing about the machine would change the answer to these.
TEST(Fix, NothingIsAskedForThatChangesNothing) {
  for (const char* failure : {"size-mismatch", "gated-repo", "safetensors-truncated"}) {
    auto prepared = prepare(in_4_44(failure, "x"));
    prepared->situation.machine = nullptr;
    prepared->situation.call = nullptr;
    EXPECT_TRUE(find_fix(prepared->situation).needs.empty()) << failure;
  }
}

TEST(Fix, ArgumentsThatTheTextDoesNotTellAreLeftAlone) {
  const Fix fix = fix_for(in_4_44("device-map-bad-string", seven_b("**vars(args)")));
  EXPECT_NE(fix.status, FixStatus::ready);
  EXPECT_TRUE(fix.call.empty()) << fix.call;
}

TEST(Fix, AnIncompleteCallIsNeverPasted) {
  const auto prepared =
      prepare(in_4_44("device-map-bad-string", seven_b("torch_dtype=torch.float16, device_map=\"gpu\"")));
  prepared->found.complete = false;
  const Fix fix = find_fix(prepared->situation);
  EXPECT_EQ(fix.status, FixStatus::changes_only);
  EXPECT_TRUE(fix.call.empty());
  EXPECT_FALSE(fix.changes.empty());
}

}  // namespace
}  // namespace whyfail::fixer
