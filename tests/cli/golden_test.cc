// Real pastes with their whole reports. Each NAME.txt of golden/ has NAME.report.txt and NAME.report.json beside it;
// set WHYFAIL_REWRITE_GOLDENS=1 to write them anew, and look at the difference before you commit it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/diagnose.h"
#include "cli/report.h"
#include "matchers/byte_source.h"

namespace whyfail::cli {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(WHYFAIL_SOURCE_DIR) / "tests/cli/golden";

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void compare(const fs::path& file, const std::string& report) {
  if (std::getenv("WHYFAIL_REWRITE_GOLDENS") != nullptr) std::ofstream(file, std::ios::binary) << report;
  EXPECT_EQ(read(file), report) << file << " (WHYFAIL_REWRITE_GOLDENS=1 writes it anew)";
}

// The machine of every golden: a card that small models fit and large ones do not.
Options options_of_goldens() {
  Options options;
  options.no_probe = true;
  options.machine = "gpu=8GiB:7GiB free,ram=32GiB,disk=200GiB,os=linux";
  return options;
}

Diagnosis diagnosis_of(const std::string& paste) {
  matchers::TextSource source(paste);
  const Knowledge knowledge({});
  return diagnose(source, knowledge, options_of_goldens(), [](const std::string&) { return std::nullopt; });
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, ReportsAreAsTheyWere) {
  const Diagnosis diagnosis = diagnosis_of(read(folder / (GetParam() + ".txt")));
  compare(folder / (GetParam() + ".report.txt"), report_text(diagnosis, false));
  const auto json = nlohmann::ordered_json::parse(report_json(diagnosis));
  compare(folder / (GetParam() + ".report.json"), json.dump(1) + "\n");
}

TEST_P(Golden, TextFitsAScreen) {
  const std::string text = report_text(diagnosis_of(read(folder / (GetParam() + ".txt"))), false);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 50);
}

TEST_P(Golden, ColoursAddNothingElse) {
  const Diagnosis diagnosis = diagnosis_of(read(folder / (GetParam() + ".txt")));
  std::string colored = report_text(diagnosis, true);
  for (std::size_t at = colored.find('\033'); at != std::string::npos; at = colored.find('\033', at)) {
    colored.erase(at, colored.find('m', at) - at + 1);
  }
  EXPECT_EQ(colored, report_text(diagnosis, false));
}

INSTANTIATE_TEST_SUITE_P(Pastes, Golden,
                         testing::Values("offload_folder", "quantized_spill", "bad_device_map", "secret_in_paste",
                                         "out_of_memory", "unrelated"),
                         [](const auto& paste) { return paste.param; });

Diagnosis plan_of(const std::string& model) {
  Options options = options_of_goldens();
  options.words = {model};
  options.transformers = "4.57.6";
  options.accelerate = "1.12.0";
  options.machine = "gpu=24GiB:22.5GiB free,gpu=12GiB,ram=32GiB,disk=200GiB,os=linux";
  return plan(options, Knowledge({}));
}

TEST(Plan, IsAsItWas) {
  const std::string model = "Qwen/Qwen2.5-32B-Instruct";
  const Diagnosis diagnosis = plan_of(model);
  EXPECT_EQ(diagnosis.fix.status, fixer::FixStatus::ready);
  compare(folder / "plan.report.txt", report_plan(diagnosis, model, Format::text, false, true));
  const auto json = nlohmann::ordered_json::parse(report_plan(diagnosis, model, Format::json, false, false));
  compare(folder / "plan.report.json", json.dump(1) + "\n");
}

TEST(Plan, SaysWhatIsShort) {
  const std::string model = "meta-llama/Llama-3.1-405B";
  Options options = options_of_goldens();
  options.words = {model};
  options.transformers = "4.44.2";
  options.machine = "gpu=8GiB,ram=16GiB,disk=20GiB,os=linux";
  const Diagnosis diagnosis = plan(options, Knowledge({}));
  compare(folder / "plan_short.report.txt", report_plan(diagnosis, model, Format::text, false, false));
}

// The shares of a bar add up to what is free, whatever the device.
TEST(Plan, BarsAreAllEquallyLong) {
  const std::string text = report_plan(plan_of("mistralai/Mistral-7B-v0.1"), "m", Format::text, false, false);
  std::size_t bars = 0;
  for (std::size_t at = text.find(" ["); at != std::string::npos; at = text.find(" [", at + 1)) {
    EXPECT_EQ(text.find("] of", at) - at, 52U);
    ++bars;
  }
  EXPECT_EQ(bars, 3U);
}

TEST(Report, SecretsOfThePasteAreInNoForm) {
  const std::string secret = "fZSqh0ZgwLoLlIDNWt5g6kAzutkKEXvHjay0wzm9";
  const std::string paste =
      "Traceback (most recent call last):\n  File \"/home/jdoe42/run.py\", line 3, in <module>\n"
      "    model = AutoModelForCausalLM.from_pretrained(\"gpt2\", device_map=\"gpu\", token=\"hf_" +
      secret +
      "\")\nValueError: When passing device_map as a string, the value needs to be a device name (e.g. cpu, cuda:0) or "
      "'auto', 'balanced', 'balanced_low_0', 'sequential' but found gpu.\n";
  const Diagnosis diagnosis = diagnosis_of(paste);
  ASSERT_EQ(diagnosis.status, Status::explained);
  for (const std::string& report :
       {report_text(diagnosis, true), report_json(diagnosis), report_markdown(diagnosis), report_call(diagnosis)}) {
    EXPECT_EQ(report.find(secret), std::string::npos) << report;
    EXPECT_EQ(report.find("jdoe42"), std::string::npos) << report;
  }
  const auto json = nlohmann::json::parse(report_json(diagnosis));
  EXPECT_TRUE(json["call"]["masked"].get<bool>());
  EXPECT_NE(json["call"]["text"].get<std::string>().find("<token>"), std::string::npos);
}

TEST(Report, HasEveryKeyWhateverTheStatus) {
  for (const char* paste : {"", "nothing to see\n", "\x00\xff\xfe\x01"}) {
    const auto json = nlohmann::json::parse(report_json(diagnosis_of(paste)));
    for (const char* key : {"schema", "status", "failures", "notes", "similar", "environment", "machine", "model",
                            "call", "failing", "fix"}) {
      EXPECT_TRUE(json.contains(key)) << key;
    }
    EXPECT_EQ(json["status"], "unknown");
    EXPECT_EQ(json["schema"], "whyfail.report/1");
  }
}

}  // namespace
}  // namespace whyfail::cli
