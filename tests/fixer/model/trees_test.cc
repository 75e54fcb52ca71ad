// Every tree of trees.tsv, architectures.tsv and varied_trees.tsv, made from its config alone, is the one that the real
// library built on the meta device. The last two were written by library_trees.py and compare the first dimension of
// each tensor too.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
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

std::vector<Row> rows(const std::string& name) {
  std::vector<Row> result;
  std::ifstream file(std::string(WHYFAIL_SOURCE_DIR) + "/tests/fixer/model/" + name);
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

std::variant<Model, NoModel> model_of(const Row& row) {
  ModelQuery query;
  query.name = row.label;
  query.auto_class = row.class_name;
  query.transformers = *kb::Release::parse(row.release);
  DType dtype = DType::float32;
  EXPECT_TRUE(parse_dtype(row.dtype, dtype));
  query.dtype = dtype;
  return model_from_config(query, model_data(), row.config, nullptr, "config");
}

void expect_library_tree(const Model& model, const Row& row, bool with_rows) {
  const std::string text = tree_text(model.tree.root, false, with_rows);
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')), row.lines);
  EXPECT_EQ(crc32(text), row.checksum);
  if (row.checksum_with_classes) {
    EXPECT_EQ(crc32(tree_text(model.tree.root, true, with_rows)), row.checksum_with_classes);
  }
  ModuleTree untied;
  untied.root = model.tree.root;
  const TreeTotals totals = totals_of(untied);
  EXPECT_EQ(totals.parameters, row.parameters);
  EXPECT_EQ(totals.bytes, row.bytes);
}

TEST_P(Trees, IsTheLibrarysTree) {
  const Row& row = GetParam();
  const auto found = model_of(row);
  if (const auto* none = std::get_if<NoModel>(&found)) FAIL() << none->why;
  expect_library_tree(std::get<Model>(found), row, false);
}

INSTANTIATE_TEST_SUITE_P(Library, Trees, testing::ValuesIn(rows("trees.tsv")), [](const auto& row) {
  std::string name = row.param.label + "_" + row.param.release + "_" + std::to_string(row.index);
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
});

TEST(Trees, AreMany) { EXPECT_GT(rows("trees.tsv").size(), 600U); }

// One config for each architecture whose tree follows its config in every tensor: transformers 5.23.0, and 4.57.6 where
// that builds another tree. All of them, whether said to be exact for other configs or not.
TEST(Architectures, GiveEveryTensorOfTheLibrarys) {
  std::map<std::string, int> compared;
  int different = 0;
  for (const Row& row : rows("architectures.tsv")) {
    SCOPED_TRACE(row.label + ", transformers " + row.release + ", " + row.class_name);
    const auto found = model_of(row);
    if (const auto* none = std::get_if<NoModel>(&found)) {
      ADD_FAILURE() << none->why;
      ++different;
      continue;
    }
    const Model& model = std::get<Model>(found);
    expect_library_tree(model, row, true);
    different += crc32(tree_text(model.tree.root, false, true)) == row.checksum ? 0 : 1;
    ++compared[row.release];
  }
  EXPECT_EQ(compared["5.23.0"], 256);
  EXPECT_EQ(compared["4.57.6"], 118);
  EXPECT_EQ(different, 0);
}

// Whatever is said to be exact is; a type or config that cannot be followed says so.
TEST(VariedTrees, ExactOnesAreTheLibrarys) {
  std::set<std::string> exact;
  std::set<std::string> types;
  for (const Row& row : rows("varied_trees.tsv")) {
    SCOPED_TRACE(row.label + ", transformers " + row.release + ", " + row.class_name);
    types.insert(row.label + row.release);
    const auto found = model_of(row);
    const Model* model = std::get_if<Model>(&found);
    if (!model || !model->exact) continue;
    exact.insert(row.label + row.release);
    expect_library_tree(*model, row, true);
  }
  EXPECT_GE(types.size(), 368U);
  EXPECT_GE(exact.size(), 300U);
}

}  // namespace
}  // namespace whyfail::fixer
