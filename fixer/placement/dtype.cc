// Names and widths of tensor types.
#include <array>
#include <string_view>
#include <utility>

#include "fixer/placement/module_tree.h"

namespace whyfail::fixer {

namespace {

struct Known {
  DType type;
  const char* name;   // as torch writes it
  const char* brief;  // as module dumps and safetensors headers write it, in lower case
  double width;       // bytes of an element as accelerate counts them (accelerate/utils/modeling.py dtype_byte_size)
};

constexpr std::array<Known, 18> kKnown = {{
    {DType::float64, "float64", "f64", 8},
    {DType::float32, "float32", "f32", 4},
    {DType::float16, "float16", "f16", 2},
    {DType::bfloat16, "bfloat16", "bf16", 2},
    {DType::float8_e4m3, "float8_e4m3fn", "f8e4m3", 1},
    {DType::float8_e5m2, "float8_e5m2", "f8e5m2", 1},
    {DType::float8_e8m0, "float8_e8m0fnu", "f8e8m0", 1},
    {DType::int64, "int64", "i64", 8},
    {DType::int32, "int32", "i32", 4},
    {DType::int16, "int16", "i16", 2},
    {DType::int8, "int8", "i8", 1},
    {DType::uint16, "uint16", "u16", 2},
    {DType::uint8, "uint8", "u8", 1},
    {DType::boolean, "bool", "bool", 0.125},
    {DType::complex64, "complex64", "c64", 8},
    {DType::int4, "int4", "i4", 0.5},
    {DType::int2, "int2", "i2", 0.25},
    {DType::fp8, "fp8", "f8", 1},
}};

// Further spellings: torch's aliases and the underscores of safetensors.
constexpr std::array<std::pair<const char*, DType>, 9> kAliases = {{
    {"float", DType::float32},
    {"double", DType::float64},
    {"half", DType::float16},
    {"long", DType::int64},
    {"int", DType::int32},
    {"short", DType::int16},
    {"f8_e4m3", DType::float8_e4m3},
    {"f8_e5m2", DType::float8_e5m2},
    {"f8_e8m0", DType::float8_e8m0},
}};

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < kKnown.size(); ++i) {
    if (static_cast<std::size_t>(kKnown[i].type) != i) return false;
  }
  return true;
}
static_assert(rows_are_in_order());

const Known& known(DType type) { return kKnown[static_cast<std::size_t>(type)]; }

bool starts_with_removed(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool same_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

}  // namespace

double accelerate_width(DType type) { return known(type).width; }

bool parse_dtype(std::string_view name, DType& type) {
  if (!starts_with_removed(name, "torch.")) starts_with_removed(name, "CustomDtype.");
  for (const Known& row : kKnown) {
    if (same_ignoring_case(name, row.name) || same_ignoring_case(name, row.brief)) {
      type = row.type;
      return true;
    }
  }
  for (const auto& [alias, value] : kAliases) {
    if (same_ignoring_case(name, alias)) {
      type = value;
      return true;
    }
  }
  // "float8_e4m3" without torch's suffix
  for (const DType value : {DType::float8_e4m3, DType::float8_e5m2, DType::float8_e8m0}) {
    const std::string_view full = dtype_name(value);
    if (name.size() >= 11 && full.starts_with(name)) {
      type = value;
      return true;
    }
  }
  return false;
}

const char* dtype_name(DType type) { return known(type).name; }

}  // namespace whyfail::fixer
