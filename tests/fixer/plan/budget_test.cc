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

TEST(Budget, SizesAreRoundedDownToWholeUnits) {
  EXPECT_EQ(size_text(22ULL << 30), "22GiB");
  EXPECT_EQ(size_text((22ULL << 30) + 5), "22GiB");
  EXPECT_EQ(size_text((22ULL << 30) - 1), "22272MiB");
  EXPECT_EQ(size_text(100ULL << 20), "100MiB");
}

}  // namespace
}  // namespace whyfail::fixer
