// Bytes of quantized layers, measured with bitsandbytes 0.50.2, and what a map puts where.
#include <gtest/gtest.h>

#include "fixer/placement/place.h"
#include "fixer/placement/quantized_bytes.h"
#include "tests/fixer/placement/small_trees.h"

namespace whyfail::fixer {
namespace {

struct Measured {
  const char* kind;
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t bytes;
};
constexpr Measured kMeasured[] = {
    {"nf4", 64, 64, 2368},        {"nf4-dq", 64, 64, 3208},        {"int8", 64, 64, 4352},
    {"nf4", 48, 96, 2656},        {"nf4-dq", 48, 96, 3472},        {"int8", 48, 96, 4800},
    {"nf4", 100, 36, 2092},       {"nf4-dq", 100, 36, 2953},       {"int8", 100, 36, 4000},
    {"nf4", 128, 333, 24040},     {"nf4-dq", 128, 333, 23082},     {"int8", 128, 333, 43136},
    {"nf4", 512, 512, 147520},    {"nf4-dq", 512, 512, 136324},    {"int8", 512, 512, 264192},
    {"nf4", 1000, 768, 432064},   {"nf4-dq", 1000, 768, 397280},   {"int8", 1000, 768, 772000},
    {"nf4", 33, 31, 640},         {"nf4-dq", 33, 31, 1624},        {"int8", 33, 31, 1155},
    {"nf4", 4096, 1024, 2359360}, {"nf4-dq", 4096, 1024, 2164804}, {"int8", 4096, 1024, 4210688},
};

TEST(QuantizedBytes, EqualWhatWasMeasured) {
  for (const Measured& row : kMeasured) {
    const std::string kind = row.kind;
    const std::uint64_t elements = row.rows * row.columns;
    const std::uint64_t bytes =
        kind == "int8" ? eight_bit_bytes(elements, row.rows) : four_bit_bytes(elements, kind == "nf4-dq");
    EXPECT_EQ(bytes, row.bytes) << kind << " " << row.rows << " x " << row.columns;
  }
}

std::uint64_t on(const std::vector<std::pair<Device, std::uint64_t>>& rows, const Device& device) {
  for (const auto& [name, bytes] : rows) {
    if (name == device) return bytes;
  }
  return 0;
}

const Rules kRules = rules_for({4, 44, 2}, {0, 33, 0});
const ClassFacts kFacts{"LlamaForCausalLM", std::vector<std::string>{"DecoderLayer"}, {}, {}, {}};

TEST(BytesByDevice, UnquantizedWeightsAreCountedOnce) {
  const ModuleTree tied = language_model(2, 64, true);
  const auto rows = bytes_by_device(tied, kFacts, {{"", std::int64_t{0}}}, {}, kRules);
  // the head is the embedding
  EXPECT_EQ(on(rows, std::int64_t{0}), total_bytes(tied) - 100 * 64 * 2);
}

TEST(BytesByDevice, FollowsTheLongestKey) {
  const ModuleTree model = language_model(2, 64, false);
  const DeviceMap map = {{"", std::int64_t{0}}, {"model.layers.1", std::string("cpu")}};
  const auto rows = bytes_by_device(model, kFacts, map, {}, kRules);
  const std::uint64_t layer = (4 * 64 * 64 + 2 * 4 * 64 * 64 + 64) * 2;
  EXPECT_EQ(on(rows, std::string("cpu")), layer);
  EXPECT_EQ(on(rows, std::int64_t{0}), total_bytes(model) - layer);
}

TEST(BytesByDevice, QuantizedLayersKeepTheirState) {
  const ModuleTree model = language_model(1, 64, false);
  LoadSettings settings;
  settings.quantizer = "bitsandbytes_8bit";
  const std::uint64_t kept = (100 * 64 * 2 + 2 * 64) * 2;  // embedding, head, norms
  const std::uint64_t converted =
      4 * eight_bit_bytes(64 * 64, 64) + eight_bit_bytes(256 * 64, 256) + eight_bit_bytes(64 * 256, 64);
  EXPECT_EQ(on(bytes_by_device(model, kFacts, {{"", std::int64_t{0}}}, settings, kRules), std::int64_t{0}),
            kept + converted);
  // offloaded modules are kept in 32 bits
  settings.fp32_cpu_offload = true;
  const DeviceMap map = {{"", std::int64_t{0}}, {"model.layers.0.mlp", std::string("cpu")}};
  EXPECT_EQ(on(bytes_by_device(model, kFacts, map, settings, kRules), std::string("cpu")), 2 * 256 * 64 * 4U);
  settings.quantizer = "bitsandbytes_4bit";
  EXPECT_EQ(on(bytes_by_device(model, kFacts, {{"", std::int64_t{0}}}, settings, kRules), std::int64_t{0}),
            kept + 4 * four_bit_bytes(64 * 64, false) + 2 * four_bit_bytes(256 * 64, false));
}

}  // namespace
}  // namespace whyfail::fixer
