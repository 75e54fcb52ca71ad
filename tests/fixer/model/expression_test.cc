#include "fixer/model/expression.h"

#include <gtest/gtest.h>

#include <map>

namespace whyfail::fixer {
namespace {

class Table : public Fields {
 public:
  std::map<std::string, ConfigValue, std::less<>> values;
  std::optional<ConfigValue> field(std::string_view name) const override {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
};

Table table() {
  Table fields;
  fields.values["hidden_size"] = {std::int64_t{4096}};
  fields.values["text_config.heads"] = {std::int64_t{32}};
  fields.values["bias"] = {false};
  fields.values["rank"] = {};
  fields.values["ratio"] = {2.5};
  fields.values["kind"] = {std::string("gated-gelu")};
  auto list = std::make_shared<ValueList>();
  list->push_back({std::string("full_attention")});
  list->push_back({std::string("mamba")});
  fields.values["layer_types"] = {std::shared_ptr<const ValueList>(list)};
  return fields;
}

std::string result(const std::string& text, Counters counters = {}) {
  const auto parsed = Expression::parse(text);
  if (const auto* error = std::get_if<ExpressionError>(&parsed)) return "cannot parse: " + error->why;
  const auto value = std::get<Expression>(parsed).evaluate(table(), counters);
  if (const auto* error = std::get_if<ExpressionError>(&value)) return "error: " + error->why;
  const ConfigValue& found = std::get<ConfigValue>(value);
  if (found.none()) return "None";
  if (const auto* flag = std::get_if<bool>(&found.is)) return *flag ? "true" : "false";
  if (const auto number = whole_number(found)) return std::to_string(*number);
  return "other";
}

TEST(Expression, Computes) {
  EXPECT_EQ(result("hidden_size//text_config.heads"), "128");
  EXPECT_EQ(result("2*hidden_size+1"), "8193");
  EXPECT_EQ(result("(0-7)//2"), "-4");
  EXPECT_EQ(result("-7%2"), "1");
  EXPECT_EQ(result("trunc(ratio*hidden_size)"), "10240");
  EXPECT_EQ(result("trunc(2*hidden_size/3)"), "2730");
  EXPECT_EQ(result("min(3,hidden_size)+max(i,j)", {5, 9}), "12");
  EXPECT_EQ(result("len(layer_types)"), "2");
  EXPECT_EQ(result("96*pow(2,i)", {3, 0}), "768");
}

TEST(Expression, Decides) {
  EXPECT_EQ(result("bias"), "false");
  EXPECT_EQ(result("not bias and rank is None"), "true");
  EXPECT_EQ(result("rank is not None"), "false");
  EXPECT_EQ(result("layer_types[i]=='mamba'", {1, 0}), "true");
  EXPECT_EQ(result("'mamba' in layer_types"), "true");
  EXPECT_EQ(result("'gated' in kind"), "true");
  EXPECT_EQ(result("(i<3) or (i>=hidden_size)", {2, 0}), "true");
}

TEST(Expression, OrYieldsAnOperand) { EXPECT_EQ(result("rank or 7"), "7"); }

TEST(Expression, SaysWhatIsWrong) {
  EXPECT_EQ(result("missing*2"), "error: field 'missing' is missing");
  EXPECT_EQ(result("layer_types[i]", {2, 0}), "error: list 'layer_types' has 2 entries, entry 2 is needed");
  EXPECT_EQ(result("9223372036854775807*2"), "error: a product is too large");
  EXPECT_EQ(result("9223372036854775807+1"), "error: a sum is too large");
  EXPECT_EQ(result("1//0"), "error: a division by zero");
  EXPECT_EQ(result("rank+1"), "error: '+' needs two numbers");
  EXPECT_EQ(result("pow(2,63)"), "error: a power is too large");
  EXPECT_EQ(result("pow(2,64)"), "error: pow() needs whole numbers and at most 63 factors");
  EXPECT_EQ(result("pow(2,0-1)"), "error: pow() needs whole numbers and at most 63 factors");
}

TEST(Expression, RefusesWhatIsNone) {
  for (const char* const text : {"", "1+", "(1", "1)", "a b", "open('x')", "a[1", "'x", "1 is 2",
                                 "99999999999999999999", "min(1)", "trunc(1,2)", "*"}) {
    EXPECT_TRUE(result(text).starts_with("cannot parse: ")) << text << ": " << result(text);
  }
}

TEST(Expression, IsBounded) {
  EXPECT_TRUE(result(std::string(500, '(') + "1" + std::string(500, ')')).starts_with("cannot parse: too deep"));
  EXPECT_TRUE(result(std::string(500, '-') + "1").starts_with("cannot parse: too deep"));
  EXPECT_TRUE(result(std::string(100000, '1')).starts_with("cannot parse: an expression is too long"));
}

}  // namespace
}  // namespace whyfail::fixer
