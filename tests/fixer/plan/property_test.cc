// Over random machines, models, releases and calls: what is called ready is accepted by the simulated library and fits;
// a second fix changes nothing.
#include <random>

#include "fixer/plan/load_call.h"
#include "fixer/plan/simulate.h"
#include "situations.h"

namespace whyfail::fixer {
namespace {

struct Releases {
  const char* transformers;
  const char* accelerate;
  const char* dtype;
};
constexpr Releases releases[] = {{"4.36.2", "0.25.0", "torch_dtype"}, {"4.44.2", "0.33.0", "torch_dtype"},
                                 {"4.51.3", "1.6.0", "torch_dtype"},  {"4.57.6", "1.12.0", "dtype"},
                                 {"5.5.0", "1.13.0", "dtype"},        {"5.23.0", "1.15.0", "dtype"}};
constexpr const char* models[] = {"meta-llama/Llama-2-7b-hf", "mistralai/Mistral-7B-v0.1", "gpt2", "facebook/opt-6.7b",
                                  "google/gemma-2-9b"};
constexpr const char* maps[] = {"\"auto\"", "\"gpu\"", "\"cuda\"", "{\"\": 0}", "\"balanced\"", "-1", "\"cuda:3\""};
constexpr const char* failures[] = {"cuda-out-of-memory", "device-map-bad-string", "offload-folder-required",
                                    "quantized-modules-on-cpu-or-disk"};

class Random {
 public:
  template <typename T, std::size_t N>
  const T& one_of(const T (&list)[N]) {
    return list[std::uniform_int_distribution<std::size_t>(0, N - 1)(engine_)];
  }
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }

 private:
  std::mt19937 engine_{20240917};
};

Asked random_situation(Random& random) {
  const Releases& release = random.one_of(releases);
  Asked asked;
  asked.failure = random.one_of(failures);
  asked.transformers = release.transformers;
  asked.accelerate = release.accelerate;
  for (int gpu = random.between(0, 2); gpu > 0; --gpu)
    asked.machine += "gpu=" + std::to_string(random.between(4, 26)) + "GiB,";
  asked.machine +=
      "ram=" + std::to_string(random.between(2, 80)) + "GiB,disk=" + std::to_string(random.between(1, 300)) + "GiB";
  asked.call = std::string("AutoModelForCausalLM.from_pretrained(\"") + random.one_of(models) +
               "\", device_map=" + random.one_of(maps);
  if (random.between(0, 1) == 1) asked.call += std::string(", ") + release.dtype + "=torch.float16";
  if (asked.failure == "quantized-modules-on-cpu-or-disk")
    asked.call += ", quantization_config=BitsAndBytesConfig(load_in_8bit=True)";
  if (random.between(0, 3) == 0) asked.call += ", max_memory={0: \"" + std::to_string(random.between(1, 30)) + "GiB\"}";
  asked.call += ")";
  return asked;
}

void expect_accepted(const Asked& asked, const Fix& fix) {
  const Script script = Script::read(fix.call);
  const std::vector<Call> calls = script.calls();
  ASSERT_FALSE(calls.empty()) << fix.call;
  const LoadCall load = read_load(script, calls.front());
  ModelQuery query;
  query.name = load.model.value_or("");
  query.auto_class = load.class_name;
  query.dtype = load.dtype;
  query.dtype_auto = load.dtype_auto;
  query.quantized = !load.settings.quantizer.empty();
  query.transformers = *kb::Release::parse(asked.transformers);
  const auto found = find_model(query, shipped());
  const auto* model = std::get_if<Model>(&found);
  ASSERT_NE(model, nullptr) << fix.call;
  const auto machine = std::get<probes::Machine>(probes::machine_from(asked.machine));
  const Outcome outcome = simulate_load(
      load, *model, machine, {}, rules_for(query.transformers, *kb::Release::parse(asked.accelerate)), std::nullopt);
  EXPECT_FALSE(outcome.error) << asked.machine << "\n" << fix.call << "\n" << outcome.error->message;
  EXPECT_TRUE(outcome.fits) << asked.machine << "\n" << fix.call;
}

TEST(Property, ReadyMeansAcceptedAndASecondFixChangesNothing) {
  Random random;
  int ready = 0;
  for (int i = 0; i < 60; ++i) {
    Asked asked = random_situation(random);
    const Fix fix = fix_for(asked);
    if (fix.status != FixStatus::ready || fix.verified.find("placement") == std::string::npos) continue;
    ++ready;
    expect_accepted(asked, fix);
    asked.call = fix.call;
    const Fix again = fix_for(asked);
    if (again.status == FixStatus::ready) {
      EXPECT_EQ(again.call, fix.call) << asked.machine;
    }
  }
  EXPECT_GT(ready, 15);
}

}  // namespace
}  // namespace whyfail::fixer
