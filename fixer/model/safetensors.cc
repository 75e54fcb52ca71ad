// Reads and checks safetensors headers. A header comes from a stranger: lengths, counts and offsets may all lie.
#include "fixer/model/safetensors.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

namespace whyfail::fixer {

namespace {

using Json = nlohmann::json;

// The format allows 100 MB; the largest seen in a published shard is under 1 MB.
constexpr std::uint64_t largest_header = std::uint64_t{32} << 20;
constexpr std::size_t most_tensors = 600'000;
constexpr std::size_t most_dimensions = 16;

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

bool unsigned_number(const Json& json, std::uint64_t& number) {
  if (!json.is_number_unsigned()) return false;
  number = json.get<std::uint64_t>();
  return true;
}

HeaderError damaged(const std::string& name, const char* what) {
  return {"tensor '" + name.substr(0, 200) + "' " + what};
}

// Bits of one element of the dtypes that the format names; 0: not known.
unsigned bits_of(const std::string& dtype) {
  static constexpr std::array<std::pair<std::string_view, unsigned>, 20> widths = {
      {{"F64", 64},    {"F32", 32},    {"F16", 16},    {"BF16", 16}, {"I64", 64},    {"I32", 32},   {"I16", 16},
       {"I8", 8},      {"U64", 64},    {"U32", 32},    {"U16", 16},  {"U8", 8},      {"BOOL", 8},   {"C64", 64},
       {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"F4", 4},    {"F6_E2M3", 6}, {"F6_E3M2", 6}}};
  const auto* found = std::find_if(widths.begin(), widths.end(), [&](const auto& row) { return row.first == dtype; });
  return found == widths.end() ? 0 : found->second;
}

std::variant<StoredTensor, HeaderError> read_entry(const std::string& name, const Json& entry, Range& range) {
  if (!entry.is_object()) return damaged(name, "is no object");
  const auto dtype = entry.find("dtype");
  const auto shape = entry.find("shape");
  const auto offsets = entry.find("data_offsets");
  if (dtype == entry.end() || !dtype->is_string()) return damaged(name, "has no dtype");
  if (shape == entry.end() || !shape->is_array() || shape->size() > most_dimensions) {
    return damaged(name, "has no readable shape");
  }
  if (offsets == entry.end() || !offsets->is_array() || offsets->size() != 2 ||
      !unsigned_number((*offsets)[0], range.begin) || !unsigned_number((*offsets)[1], range.end) ||
      range.begin > range.end) {
    return damaged(name, "has no readable offsets");
  }
  StoredTensor tensor;
  tensor.name = name;
  tensor.dtype_text = dtype->get<std::string>().substr(0, 32);
  tensor.dtype_known = parse_dtype(tensor.dtype_text, tensor.dtype);
  tensor.elements = 1;
  for (const Json& length : *shape) {
    std::uint64_t number = 0;
    if (!unsigned_number(length, number)) return damaged(name, "has no readable shape");
    if (__builtin_mul_overflow(tensor.elements, number, &tensor.elements) || tensor.elements > (1ULL << 50)) {
      return damaged(name, "is larger than any tensor is");
    }
    tensor.shape.push_back(number);
  }
  tensor.bytes = range.end - range.begin;
  if (const unsigned bits = bits_of(tensor.dtype_text); bits != 0 && (tensor.elements * bits + 7) / 8 != tensor.bytes) {
    return damaged(name, "has a shape that does not fit its length");
  }
  return tensor;
}

}  // namespace

std::variant<std::vector<StoredTensor>, HeaderError> parse_safetensors_header(std::string_view json,
                                                                              std::uint64_t data_bytes) {
  const Json header = Json::parse(json, nullptr, false);
  if (!header.is_object()) return HeaderError{"the header is not JSON"};
  if (header.size() > most_tensors) return HeaderError{"the header names more tensors than any model has"};
  std::vector<StoredTensor> tensors;
  std::vector<Range> ranges;
  tensors.reserve(header.size());
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    Range range;
    auto read = read_entry(name, entry, range);
    if (auto* error = std::get_if<HeaderError>(&read)) return std::move(*error);
    if (range.end > data_bytes) return damaged(name, "ends beyond the end of the file");
    ranges.push_back(range);
    tensors.push_back(std::get<StoredTensor>(std::move(read)));
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].begin < ranges[i - 1].end) return HeaderError{"two tensors of the header overlap"};
  }
  return tensors;
}

std::variant<std::vector<StoredTensor>, HeaderError> read_safetensors_header(const std::filesystem::path& file) {
  std::error_code problem;
  const std::uint64_t file_bytes = std::filesystem::file_size(file, problem);
  if (problem) return HeaderError{"cannot be read"};
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 8> prefix{};
  if (!stream.read(prefix.data(), prefix.size())) return HeaderError{"is shorter than a safetensors header"};
  std::uint64_t length = 0;
  for (std::size_t i = prefix.size(); i-- > 0;) length = length << 8 | static_cast<unsigned char>(prefix[i]);
  if (length > largest_header)
    return HeaderError{"has a header length of " + std::to_string(length) + " bytes, which no model has"};
  if (length > file_bytes - prefix.size()) return HeaderError{"has a header that ends beyond the end of the file"};
  std::string json(static_cast<std::size_t>(length), '\0');
  if (!stream.read(json.data(), static_cast<std::streamsize>(json.size()))) return HeaderError{"cannot be read"};
  return parse_safetensors_header(json, file_bytes - prefix.size() - length);
}

}  // namespace whyfail::fixer
