#include "fixer/model/safetensors.h"

#include <gtest/gtest.h>

#include <fstream>

namespace whyfail::fixer {
namespace {

std::string error_of(const std::string& json, std::uint64_t data_bytes) {
  const auto read = parse_safetensors_header(json, data_bytes);
  const auto* error = std::get_if<HeaderError>(&read);
  return error ? error->why : "";
}

TEST(SafetensorsHeader, GivesNamesDtypesAndShapes) {
  const auto read = parse_safetensors_header(
      R"({"__metadata__":{"format":"pt"},"a.weight":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]},)"
      R"("b":{"dtype":"F32","shape":[],"data_offsets":[12,16]}})",
      16);
  const auto& tensors = std::get<std::vector<StoredTensor>>(read);
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensors[0].name, "a.weight");
  EXPECT_EQ(tensors[0].dtype, DType::bfloat16);
  EXPECT_EQ(tensors[0].elements, 6U);
  EXPECT_EQ(tensors[0].bytes, 12U);
  EXPECT_EQ(tensors[1].elements, 1U);
}

TEST(SafetensorsHeader, RefusesLies) {
  EXPECT_EQ(error_of("{", 0), "the header is not JSON");
  EXPECT_EQ(error_of("[]", 0), "the header is not JSON");
  EXPECT_EQ(error_of(R"({"a":1})", 0), "tensor 'a' is no object");
  EXPECT_EQ(error_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 3),
            "tensor 'a' ends beyond the end of the file");
  EXPECT_EQ(error_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4),
            "tensor 'a' has a shape that does not fit its length");
  EXPECT_EQ(error_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4),
            "tensor 'a' has no readable offsets");
  EXPECT_EQ(error_of(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4),
            "tensor 'a' has no readable shape");
  EXPECT_EQ(error_of(R"({"a":{"dtype":"F32","shape":[9000000000,9000000000,9000000000],"data_offsets":[0,4]}})", 4),
            "tensor 'a' is larger than any tensor is");
  EXPECT_EQ(error_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                     R"("b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
                     6),
            "two tensors of the header overlap");
}

std::string error_of_file(const std::string& content) {
  const auto path = std::filesystem::temp_directory_path() / ("whyfail_header_" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary) << content;
  const auto read = read_safetensors_header(path);
  std::filesystem::remove(path);
  const auto* error = std::get_if<HeaderError>(&read);
  return error ? error->why : "";
}

TEST(SafetensorsFile, RefusesLyingLengths) {
  EXPECT_EQ(error_of_file("abc"), "is shorter than a safetensors header");
  EXPECT_EQ(error_of_file(std::string(8, '\xff')),
            "has a header length of 18446744073709551615 bytes, which no model has");
  EXPECT_EQ(error_of_file(std::string("\x10\0\0\0\0\0\0\0{}", 10)),
            "has a header that ends beyond the end of the file");
  EXPECT_EQ(error_of_file(std::string("\x02\0\0\0\0\0\0\0{}", 10)), "");
}

}  // namespace
}  // namespace whyfail::fixer
