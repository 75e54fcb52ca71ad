// What the check ahead of time finds, and where it stays silent. No file is read; models come from the catalogue.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/check_findings.h"
#include "probes/sources.h"

namespace whyfail::cli {
namespace {

const Knowledge& knowledge() {
  static const Knowledge shipped({});
  return shipped;
}

std::vector<Finding> found(const std::string& script, const std::string& machine, const std::string& release) {
  Options options;
  options.no_probe = true;
  options.transformers = release;
  const auto described = std::get<probes::Machine>(probes::machine_from(machine));
  const CheckContext context{knowledge(), described, options,
                             releases_to_check(options, described, knowledge().shipped())};
  return findings_in("load.py", script, context).findings;
}

// The ids alone, joined by blanks.
std::string ids(const std::string& script, const std::string& machine, const std::string& release) {
  std::string all;
  for (const Finding& finding : found(script, machine, release)) {
    all += (all.empty() ? "" : " ") + finding.failure.id;
  }
  return all;
}

const std::string imports =
    "import torch\n"
    "from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig, pipeline\n";
const std::string large = "gpu=24GiB:23GiB free,ram=64GiB,disk=500GiB,os=linux";
const std::string small = "gpu=8GiB:7GiB free,ram=32GiB,disk=300GiB,os=linux";
const std::string load_7b = "model = AutoModelForCausalLM.from_pretrained('meta-llama/Llama-2-7b-hf'";

TEST(Check, WrongDeviceStringWithItsPlaceAndTheCallThatWorks) {
  const auto findings = found(imports + load_7b + ", torch_dtype=torch.float16, device_map='gpu')\n", large, "4.44.2");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].failure.id, "device-map-bad-string");
  EXPECT_EQ(findings[0].exception, "ValueError");
  EXPECT_EQ(findings[0].begin.line, 3U);
  EXPECT_EQ(findings[0].begin.column, 9U);
  EXPECT_NE(findings[0].fix.call.find("device_map='cuda'"), std::string::npos) << findings[0].fix.call;
}

TEST(Check, WeightsThatDoNotFitTheGpu) {
  const std::string script = imports + load_7b + ", device_map={'': 0}";
  EXPECT_EQ(ids(script + ")\n", large, "4.44.2"), "cuda-out-of-memory");  // float32 is the default of 4.x
  EXPECT_EQ(ids(script + ", torch_dtype=torch.float16)\n", large, "4.44.2"), "");
  EXPECT_EQ(ids(script + ", torch_dtype=torch.float16)\n", small, "4.44.2"), "cuda-out-of-memory");
}

TEST(Check, MovesAfterLoading) {
  const std::string quantized = imports + load_7b + ", quantization_config=BitsAndBytesConfig(load_in_8bit=True))\n";
  EXPECT_EQ(ids(quantized + "model.to('cuda')\n", large, "4.44.2"), "quantized-to");
  EXPECT_EQ(ids(quantized, large, "4.44.2"), "");
  const std::string offloaded = imports + load_7b + ", device_map='auto', torch_dtype=torch.float16)\n";
  EXPECT_EQ(ids(offloaded + "model = model.to('cuda')\n", small, "4.44.2"), "move-offloaded-model");
  EXPECT_EQ(ids(offloaded + "model = model.to('cuda')\n", large, "4.44.2"), "");
  const std::string piped = "pipe = pipeline('text-generation', model=model, device=0)\n";
  EXPECT_EQ(ids(offloaded + piped, large, "4.44.2"), "pipeline-device-with-accelerate");
}

TEST(Check, CastsBeforeAMoveCount) {
  const std::string load = imports + load_7b + ")";
  EXPECT_EQ(ids(load + ".half().cuda()\n", large, "4.44.2"), "");
  EXPECT_EQ(ids(load + ".cuda().half()\n", large, "4.44.2"), "cuda-out-of-memory");
  EXPECT_EQ(ids(load + "\nmodel.half()\nmodel.cuda()\n", small, "4.44.2"), "cuda-out-of-memory");
}

TEST(Check, MovesInFunctionsThatAreCalled) {
  const std::string ready = "def ready(m):\n    return m.to('cuda')\n\n\n";
  const std::string quantized = load_7b + ", quantization_config=BitsAndBytesConfig(load_in_8bit=True))\n";
  EXPECT_EQ(ids(imports + ready + quantized + "model = ready(model)\n", large, "4.44.2"), "quantized-to");
  EXPECT_EQ(ids(imports + ready + quantized + "if FLAG:\n    model = ready(model)\n", large, "4.44.2"), "");
  EXPECT_EQ(ids(imports + ready + quantized, large, "4.44.2"), "");
}

TEST(Check, FailuresThatTheScriptCatchesAreNoFindings) {
  const std::string wrong = load_7b + ", torch_dtype=torch.float16, device_map='gpu')\n";
  const std::string tried = imports + "try:\n    " + wrong;
  EXPECT_EQ(ids(tried + "except ValueError:\n    model = None\n", large, "4.44.2"), "");
  EXPECT_EQ(ids(tried + "except ValueError as error:\n    print(error)\n    raise\n", large, "4.44.2"),
            "device-map-bad-string");
  EXPECT_EQ(ids(tried + "except ImportError:\n    pass\n", large, "4.44.2"), "device-map-bad-string");
  EXPECT_EQ(ids(tried + "finally:\n    print()\n", large, "4.44.2"), "device-map-bad-string");
  EXPECT_EQ(ids(imports + "def load():\n    " + wrong + "\n\ntry:\n    load()\nexcept Exception:\n    pass\n", large,
                "4.44.2"),
            "");
  EXPECT_EQ(ids(imports + "with contextlib.suppress(ValueError):\n    " + wrong, large, "4.44.2"), "");
}

TEST(Check, LoadingFunctionsThatOthersCall) {
  const std::string given = "'meta-llama/Llama-2-7b-hf', torch_dtype=torch.float16, device_map='gpu')\n";
  EXPECT_EQ(ids(imports + "load = functools.partial(AutoModelForCausalLM.from_pretrained, " + given, large, "4.44.2"),
            "device-map-bad-string");
  EXPECT_EQ(ids(imports + "m = asyncio.to_thread(AutoModelForCausalLM.from_pretrained, " + given, large, "4.44.2"),
            "device-map-bad-string");
}

TEST(Check, WeightsThatAreConvertedBeyondTheRam) {
  EXPECT_EQ(ids(imports + load_7b + ", torch_dtype=torch.float32)\n", "gpu=8GiB:7GiB free,ram=16GiB", "4.44.2"),
            "process-killed");
  EXPECT_EQ(ids(imports + load_7b + ", torch_dtype=torch.float32)\n", "gpu=8GiB:7GiB free,ram=64GiB", "4.44.2"), "");
  EXPECT_EQ(ids(imports + load_7b + ", torch_dtype=torch.float16)\n", "gpu=8GiB:7GiB free,ram=12GiB", "4.44.2"), "");
}

TEST(Check, MoveIsPlacedAtTheMove) {
  const auto findings = found(imports + load_7b + ", torch_dtype=torch.float16)\nmodel.to('cuda')\n", small, "4.44.2");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].begin.line, 4U);
  EXPECT_NE(findings[0].detail.find("GPU 0"), std::string::npos);
}

TEST(Check, ClassesAndDevicesByOtherNames) {
  const std::string aliased =
      "import torch\nfrom transformers import AutoModelForCausalLM as M\nm = M.from_pretrained(";
  EXPECT_EQ(
      ids(aliased + "'meta-llama/Llama-2-7b-hf', torch_dtype=torch.float16, device_map='auto')\n", large, "4.44.2"),
      "");
  const std::string device = "device = 'cuda' if torch.cuda.is_available() else 'cpu'\n";
  EXPECT_EQ(ids(imports + device + load_7b + ").to(device)\n", large, "4.44.2"), "cuda-out-of-memory");
  EXPECT_EQ(ids(imports + device + load_7b + ").to(device)\n", "gpu=none,ram=64GiB", "4.44.2"), "");
  const std::string piped = "p = pipeline('text-generation', 'meta-llama/Llama-2-7b-hf', device=";
  EXPECT_EQ(ids(imports + piped + "0)\n", large, "4.44.2"), "cuda-out-of-memory");
  EXPECT_EQ(ids(imports + piped + "-1)\n", large, "4.44.2"), "");
}

TEST(Check, ArgumentsThatTheReleaseDoesNotHave) {
  const std::string script = imports + load_7b + ", dtype=torch.float16)\n";
  EXPECT_EQ(ids(script, large, "4.44.2"), "unexpected-load-kwarg");
  EXPECT_EQ(ids(script, large, "4.57.6"), "");
  EXPECT_EQ(ids(script, large, ""), "") << "releases disagree: nothing is certain";
}

TEST(Check, DeviceMapWithoutLowMemoryUse) {
  const std::string script = imports + load_7b + ", low_cpu_mem_usage=False, device_map='auto', torch_dtype='auto')\n";
  EXPECT_EQ(ids(script, large, "4.44.2"), "device-map-needs-low-cpu-mem");
  EXPECT_EQ(ids(script, large, "5.5.0"), "");
}

TEST(Check, BadBudgetsWithoutSizes) {
  const std::string script = imports + "m = AutoModelForCausalLM.from_pretrained(path, device_map='auto', max_memory=";
  EXPECT_EQ(ids(script + "{0: '20G'})\n", large, "4.44.2"), "max-memory-bad-size");
  EXPECT_EQ(ids(script + "{'gpu': '20GiB'})\n", large, "4.44.2"), "max-memory-bad-key");
  EXPECT_EQ(ids(script + "{0: '20GiB'})\n", large, "4.44.2"), "");
}

TEST(Check, AcceleratesOwnFunctions) {
  const std::string start = "from accelerate import dispatch_model, load_checkpoint_and_dispatch\n";
  EXPECT_EQ(ids(start + "load_checkpoint_and_dispatch(model, 'x', device_map='cuda')\n", large, "4.44.2"),
            "device-map-strategy-string");
  EXPECT_EQ(
      ids(start + "load_checkpoint_and_dispatch(model, 'x', device_map={'a': 0, 'b': 'disk'})\n", large, "4.44.2"),
      "checkpoint-offload-folder-required");
  EXPECT_EQ(ids(start + "dispatch_model(model, device_map={'a': 0, 'b': 'disk'})\n", large, "4.44.2"),
            "offload-dir-required");
  EXPECT_EQ(ids(start + "dispatch_model(model, device_map={'a': 0, 'b': 'disk'}, offload_dir='o')\n", large, "4.44.2"),
            "");
}

TEST(Check, SilentWhereTheTextDoesNotTell) {
  EXPECT_EQ(ids(imports + load_7b + ", device_map=args.map)\n", large, "4.44.2"), "");
  EXPECT_EQ(ids(imports + load_7b + ", **options)\n", small, "4.44.2"), "");
  EXPECT_EQ(ids(imports + "t = AutoTokenizer.from_pretrained('x', device_map='gpu')\n", large, "4.44.2"), "");
  EXPECT_EQ(ids("model = Other.from_pretrained('x', device_map='gpu')\n", large, "4.44.2"), "");
  EXPECT_EQ(ids(imports + "if big:\n    " + load_7b + ", device_map={'': 0})\n", small, "4.44.2"), "");
  EXPECT_EQ(ids(imports + load_7b + ", torch_dtype=torch.float16)\nmodel.to(device)\n", small, "4.44.2"), "");
  EXPECT_EQ(ids("def (((\n\xff\xfe'''", large, "4.44.2"), "");
}

TEST(Check, ManyCallsTakeBoundedTime) {
  std::string script = imports;
  for (std::size_t i = 0; i <= most_calls; ++i) script += load_7b + ", device_map='gpu')\n";
  const auto findings = found(script, large, "4.44.2");
  EXPECT_EQ(findings.size(), most_calls);
  EXPECT_EQ(findings[most_fixes - 1].fix.status, fixer::FixStatus::ready);
  EXPECT_EQ(findings[most_fixes].fix.status, fixer::FixStatus::none);
}

TEST(Check, PositionsCountCharacters) {
  EXPECT_EQ(position_of("\xEF\xBB\xBFx = 1\n", 7).column, 5U);
  const Position after = position_of("a\r\n\xC3\xA9\xE2\x86\x92 b", 9);
  EXPECT_EQ(after.line, 2U);
  EXPECT_EQ(after.column, 4U);
}

TEST(Check, SarifNamesRulePlaceAndFix) {
  const std::string script = imports + load_7b + ", torch_dtype=torch.float16, device_map='gpu')\n";
  const auto log = nlohmann::json::parse(findings_sarif(found(script, large, "4.44.2"), {{"load.py", script}}));
  EXPECT_EQ(log["version"], "2.1.0");
  const auto& run = log["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "whyfail");
  EXPECT_EQ(run["tool"]["driver"]["rules"][0]["id"], "device-map-bad-string");
  const auto& result = run["results"][0];
  EXPECT_EQ(result["ruleId"], "device-map-bad-string");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "load.py");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
  const auto& replacement = result["fixes"][0]["artifactChanges"][0]["replacements"][0];
  EXPECT_EQ(replacement["deletedRegion"]["startLine"], 3);
  EXPECT_FALSE(replacement["insertedContent"]["text"].get<std::string>().empty());
}

TEST(Check, NothingFoundIsAnEmptyList) {
  const auto report = nlohmann::json::parse(findings_json({}, 2));
  EXPECT_EQ(report["files"], 2);
  EXPECT_TRUE(report["findings"].empty());
  EXPECT_EQ(findings_text({}), "");
  EXPECT_TRUE(nlohmann::json::parse(findings_sarif({}, {}))["runs"][0]["results"].empty());
}

}  // namespace
}  // namespace whyfail::cli
