// Budgets: every term is named, and what is taken off is not given out.
#include "fixer/plan/budget.h"

#include "fixer/plan/simulate.h"
#include "situations.h"

namespace whyfail::fixer {
namespace {

Model seven_b() {
  ModelQuery query;
  query.name = "meta-llama/Llama-2-7b-hf";
  query.dtype = DType::float16;
  query.transformers = *kb::Release::parse("4.44.2");
  auto found = find_model(query, shipped());
  return std::get<Model>(std::move(found));
}

std::uint64_t weights_on_gpu(const probes::Machine& machine, const Model& model, std::uint64_t context) {
  PlanOptions options;
  options.context = context;
  return capacities(machine, &model, options, *kb::Release::parse("4.44.2")).front().weights_bytes;
}

TEST(Budget, MoreContextNeverRaisesAWeightsBudget) {
  const auto machine = std::get<probes::Machine>(probes::machine_from("gpu=24GiB,ram=64GiB,disk=1TiB"));
  const Model model = seven_b();
  std::uint64_t before = ~0ULL;
  for (std::uint64_t context = 256; context <= 65536; context *= 2) {
    const std::uint64_t now = weights_on_gpu(machine, model, context);
    EXPECT_LE(now, before) << context;
    before = now;
  }
}

TEST(Budget, TermsAddUpToWhatIsTakenOff) {
  const auto machine = std::get<probes::Machine>(probes::machine_from("gpu=24GiB,ram=64GiB,disk=1TiB"));
  const Model model = seven_b();
  for (const Capacity& capacity : capacities(machine, &model, {}, *kb::Release::parse("4.44.2"))) {
    std::uint64_t taken = 0;
    for (const auto& [name, bytes] : capacity.terms) taken += bytes;
    EXPECT_EQ(capacity.free_bytes - taken, capacity.weights_bytes) << device_words(capacity.device);
  }
}

// Llama's class takes logits_to_keep in transformers 4.48 and not in 4.44; a model that encodes its prompt never makes
// logits of it.
TEST(Budget, LogitsOfThePromptAreKeptFreeOnlyWhereGenerateMakesThem) {
  const auto logits = [](const std::string& name, const std::string& auto_class, const char* release) {
    ModelQuery query;
    query.name = name;
    query.auto_class = auto_class;
    query.transformers = *kb::Release::parse(release);
    const auto found = find_model(query, shipped());
    const auto& model = std::get<Model>(found);
    const auto machine = std::get<probes::Machine>(probes::machine_from("gpu=80GiB,ram=64GiB"));
    PlanOptions options;
    options.context = 1000;
    const auto all = capacities(machine, &model, options, query.transformers);
    for (const auto& [term, bytes] : all.front().terms) {
      if (term.starts_with("logits")) return bytes / (static_cast<std::uint64_t>(model.vocabulary) * 4);
    }
    return std::uint64_t{0};
  };
  EXPECT_EQ(logits("meta-llama/Llama-2-7b-hf", "AutoModelForCausalLM", "4.44.2"), 1000U);
  EXPECT_EQ(logits("meta-llama/Llama-2-7b-hf", "AutoModelForCausalLM", "4.48.3"), 1U);
  EXPECT_EQ(logits("meta-llama/Llama-2-7b-hf", "AutoModelForCausalLM", "5.23.0"), 1U);
  EXPECT_EQ(logits("google/flan-t5-xl", "AutoModelForSeq2SeqLM", "4.44.2"), 1U);
}

Capacity capacity_of(const probes::Machine& machine, const Device& device) {
  for (const Capacity& capacity : capacities(machine, nullptr, {}, *kb::Release::parse("4.44.2"))) {
    if (capacity.device == device) return capacity;
  }
  return {};
}

TEST(Budget, TheContextIsTakenOffAndItsSourceNamed) {
  const auto machine = std::get<probes::Machine>(probes::machine_from("gpu=24GiB:20GiB free,ram=64GiB"));
  const Capacity gpu = capacity_of(machine, Device(std::int64_t{0}));
  EXPECT_EQ(gpu.weights_bytes, (20ULL << 30) - (400ULL << 20));
  ASSERT_EQ(gpu.terms.size(), 1U);
  EXPECT_NE(gpu.terms[0].first.find("ComfyUI"), std::string::npos);
}

TEST(Budget, AWindowsDesktopIsTakenOffOnlyWhereNothingWasMeasured) {
  auto machine = std::get<probes::Machine>(probes::machine_from("gpu=24GiB,ram=64GiB,os=windows"));
  const std::uint64_t measured = capacity_of(machine, Device(std::int64_t{0})).weights_bytes;
  machine.gpus[0].free_bytes.reset();
  EXPECT_EQ(capacity_of(machine, Device(std::int64_t{0})).weights_bytes, measured - (600ULL << 20));
}

TEST(Budget, UnifiedMemoryIsCountedOnce) {
  auto machine = std::get<probes::Machine>(probes::machine_from("gpu=60GiB:50GiB free,ram=50GiB"));
  machine.gpus[0].unified = true;
  const std::uint64_t gpu = capacity_of(machine, Device(std::int64_t{0})).weights_bytes;
  const std::uint64_t host = capacity_of(machine, Device(std::string("cpu"))).weights_bytes;
  EXPECT_GT(gpu, 40ULL << 30);
  EXPECT_LE(gpu + host, 50ULL << 30);
}

TEST(Budget, AFolderThatLiesInMemoryIsNoDisk) {
  auto machine = std::get<probes::Machine>(probes::machine_from("gpu=24GiB,ram=64GiB,disk=500GiB"));
  EXPECT_GT(capacity_of(machine, Device(std::string("disk"))).weights_bytes, 0U);
  machine.disks[0].memory_backed = true;
  EXPECT_EQ(capacity_of(machine, Device(std::string("disk"))).weights_bytes, 0U);
}

TEST(Budget, GeneratingIsGivenRoom) {
  const auto machine = std::get<probes::Machine>(probes::machine_from("gpu=24GiB,ram=64GiB"));
  const Model model = seven_b();
  const Capacity gpu = capacities(machine, &model, {}, *kb::Release::parse("4.44.2")).front();
  const std::uint64_t logits = default_context * 32000 * 4;
  const std::uint64_t cache = default_context * 32 * 2 * 4096 * 2;  // layers, keys and values, width, float16
  EXPECT_EQ(gpu.usable_bytes - gpu.weights_bytes, logits + cache);
}

TEST(Budget, ReservesOfTheReaderAreTaken) {
  const auto machine = std::get<probes::Machine>(probes::machine_from("gpu=24GiB,ram=64GiB"));
  PlanOptions options;
  options.reserve = {{Device(std::int64_t{0}), 2ULL << 30}};
  EXPECT_EQ(capacities(machine, nullptr, options, *kb::Release::parse("4.44.2"))[0].weights_bytes,
            capacity_of(machine, Device(std::int64_t{0})).weights_bytes - (2ULL << 30));
}

TEST(Budget, SizesAreRoundedDownToWholeUnits) {
  EXPECT_EQ(size_text(22ULL << 30), "22GiB");
  EXPECT_EQ(size_text((22ULL << 30) + 5), "22GiB");
  EXPECT_EQ(size_text((22ULL << 30) - 1), "22272MiB");
  EXPECT_EQ(size_text(100ULL << 20), "100MiB");
}

}  // namespace
}  // namespace whyfail::fixer
