// Requests that lie, nest, repeat or break off: each gets BadRequest, in short time, and the next one is answered.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/place_command.h"

namespace whyfail::cli {
namespace {

using nlohmann::json;

std::vector<json> answers_to(const std::vector<std::string>& lines) {
  std::stringstream in;
  for (const std::string& line : lines) in << line << '\n';
  std::stringstream out;
  std::stringstream errors;
  EXPECT_EQ(place(in, out, errors, {}), 0);
  std::vector<json> answers;
  for (std::string line; std::getline(out, line);) answers.push_back(json::parse(line));
  return answers;
}

std::string request_with_tree(const std::string& tree) {
  return R"({"id":1,"entry":"accelerate.infer_auto_device_map","lib":{"transformers":"4.44.2","accelerate":"0.33.0"},)"
         R"("max_memory":[[0,1000]],"faked":{"gpus":[],"cpu_available":1},"model":{"tree":)" +
         tree + "}}";
}

std::string error_of(const json& answer) { return answer["result"].value("error", "none"); }

TEST(HostileRequests, GetBadRequest) {
  std::string deep = R"({"c":"A"})";
  for (int i = 0; i < 5000; ++i) deep = R"({"c":"A","k":[["a",)" + deep + "]]}";
  const std::vector<std::string> bad = {
      "",
      "no json",
      "[]",
      "{}",
      R"({"id":1,"entry":"accelerate.infer_auto_device_map"})",
      R"({"id":1,"entry":"nothing","lib":{"transformers":"4.44.2","accelerate":"0.33.0"}})",
      R"({"id":1,"entry":"accelerate.infer_auto_device_map","lib":{"transformers":"x","accelerate":"0.33.0"}})",
      request_with_tree(R"({"c":"A","k":[[[0,1000000000],{"c":"B"}]]})"),
      request_with_tree(R"({"c":"A","k":[[[0,1000000],{"c":"B","k":[[[0,1000000],{"c":"C"}]]}]]})"),
      request_with_tree(R"({"c":"A","p":[["w",[4611686018427387904,4],"f32"]]})"),
      request_with_tree(R"({"c":"A","p":[["w",[-1],"f32"]]})"),
      request_with_tree(R"({"c":"A","p":[["w",[1],"f99"]]})"),
      request_with_tree(R"({"c":"A","p":[["a.b",[1],"f32"]]})"),
      request_with_tree(R"({"c":"A","p":[["w",[1],"f32"],["w",[1],"f32"]]})"),
      request_with_tree(R"({"c":"A","k":[["a",{"c":"B"}],["a",{"c":"B"}]]})"),
      request_with_tree(R"("a hash that is nowhere")"),
      request_with_tree("[1,2,3]"),
      request_with_tree(deep),
      std::string(100, '['),
      std::string(1000000, '['),
      request_with_tree(R"({"c":"A"})").substr(0, 100),
  };
  std::vector<std::string> lines = bad;
  lines.push_back(request_with_tree(R"({"c":"A","p":[["w",[10],"f32"]]})"));
  const std::vector<json> answers = answers_to(lines);
  ASSERT_EQ(answers.size(), bad.size());  // an empty line is passed over
  for (std::size_t i = 0; i + 1 < answers.size(); ++i) {
    EXPECT_EQ(error_of(answers[i]), "BadRequest") << bad[i + 1].substr(0, 200);
  }
  EXPECT_EQ(answers.back()["result"]["device_map"], json({{"w", 0}}));
}

TEST(HostileRequests, LargeTreesTakeLinearTime) {
  // 100,000 equal layers that are all split: a quadratic walk would take minutes.
  const std::string tree = R"({"c":"A","k":[[[0,100000],{"c":"B","k":[["x",{"c":"L","p":[["w",[1],"f32"]]}],)"
                           R"(["y",{"c":"L","p":[["w",[1],"f32"]]}]]}]]})";
  const std::vector<json> answers = answers_to({request_with_tree(tree)});
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(error_of(answers[0]), "none");
}

TEST(HostileRequests, BudgetsThatAreNoNumbersAreRefused) {
  const std::string start =
      R"({"id":1,"entry":"accelerate.get_max_memory","lib":{"transformers":"4.44.2","accelerate":"0.33.0"},"max_memory":)";
  for (const char* budgets : {"7", "[[0,null]]", "[[0,[1]]]", "[[1.5,1]]", "[[0]]", R"({"0":{}})"}) {
    EXPECT_EQ(error_of(answers_to({start + budgets + "}"})[0]), "BadRequest") << budgets;
  }
  const json answer = answers_to({start + R"({"cpu":"1GiB","0":5}})"})[0];
  EXPECT_EQ(answer["result"]["max_memory"], json::parse(R"([[0,5],["cpu",1073741824]])"));
}

}  // namespace
}  // namespace whyfail::cli
