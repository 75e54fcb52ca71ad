// Every tree of trees.tsv, made from its config alone, is the one that the real library built on the meta device.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "fixer/model/from_config.h"
#include "fixer/model/size_template.h"
#include "model_fixture.h"

namespace whyfail::fixer {
namespace {

// A row: label, transformers, class, dtype, config, modules and tensors (lines), parameters, bytes, checksum of the
// lines, checksum with class names (0: not compared).
struct Row {
  std::string label, release, class_name, dtype, config;
  std::uint64_t lines = 0, parameters = 0, bytes = 0;
  std::uint32_t checksum = 0, checksum_with_classes = 0;
};

std::vector<Row> rows() {
  std::vector<Row> result;
  std::ifstream file(std::string(WHYFAIL_SOURCE_DIR) + "/tests/fixer/model/trees.tsv");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Row row;
    std::getline(fields, row.label, '\t');
    std::getline(fields, row.release, '\t');
    std::getline(fields, row.class_name, '\t');
    std::getline(fields, row.dtype, '\t');
    std::getline(fields, row.config, '\t');
    fields >> row.lines >> row.parameters >> row.bytes >> row.checksum >> row.checksum_with_classes;
    result.push_back(row);
  }
  return result;
}

class Trees : public testing::TestWithParam<Row> {};

TEST_P(Trees, IsTheLibrarysTree) {
  const Row& row = GetParam();
  ModelQuery query;
  query.name = row.label;
  query.auto_class = row.class_name;
  query.transformers = *kb::Release::parse(row.release);
  DType dtype = DType::float32;
  ASSERT_TRUE(parse_dtype(row.dtype, dtype));
  query.dtype = dtype;
  const auto found = model_from_config(query, model_data(), row.config, nullptr, "config");
  if (const auto* none = std::get_if<NoModel>(&found)) FAIL() << none->why;
  const Model& model = std::get<Model>(found);
  const std::string text = tree_text(model.tree.root, false);
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')), row.lines);
  EXPECT_EQ(crc32(text), row.checksum);
  if (row.checksum_with_classes) {
    EXPECT_EQ(crc32(tree_text(model.tree.root, true)), row.checksum_with_classes);
  }
  ModuleTree untied;
  untied.root = model.tree.root;
  const TreeTotals totals = totals_of(untied);
  EXPECT_EQ(totals.parameters, row.parameters);
  EXPECT_EQ(totals.bytes, row.bytes);
}

INSTANTIATE_TEST_SUITE_P(Library, Trees, testing::ValuesIn(rows()), [](const auto& row) {
  std::string name = row.param.label + "_" + row.param.release + "_" + std::to_string(row.index);
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
});

TEST(Trees, AreMany) { EXPECT_GT(rows().size(), 40U); }

}  // namespace
}  // namespace whyfail::fixer
