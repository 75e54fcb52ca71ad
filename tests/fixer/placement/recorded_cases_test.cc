// What the real libraries answered, release by release: every entry, the smallest cases of every kind of outcome.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli/place_command.h"

namespace whyfail::cli {
namespace {

using nlohmann::json;

json read_file(const std::string& name) {
  std::ifstream file(std::string(PLACEMENT_CASES_FOLDER) + "/" + name);
  return json::parse(file);
}

// Trees and contexts stand in the request itself.
json complete(json request, const json& trees, const json& contexts) {
  if (request.contains("model") && request["model"].is_object()) {
    request["model"]["tree"] = trees.at(request["model"]["tree"].get<std::string>());
  }
  if (request.contains("context")) request["context"] = contexts.at(request["context"].get<std::string>());
  return request;
}

std::string one_line(const std::string& text) {
  std::istringstream words(text);
  std::string word;
  std::string line;
  while (words >> word) line += (line.empty() ? "" : " ") + word;
  return line;
}

json sorted_budgets(const json& budgets) {
  std::vector<json> rows = budgets.get<std::vector<json>>();
  std::sort(rows.begin(), rows.end(),
            [](const json& left, const json& right) { return left[0].dump() < right[0].dump(); });
  return rows;
}

bool same(const json& expected, const json& given) {
  if (expected.contains("error") || given.contains("error")) {
    if (expected.value("error", "") != given.value("error", "")) return false;
    const std::string message = one_line(given.value("message", ""));
    if (expected.contains("message_starts")) return message.starts_with(expected["message_starts"].get<std::string>());
    return message == expected.value("message", "");
  }
  for (const char* key : {"device_map", "buffer_warning"}) {
    if (expected.contains(key) && (!given.contains(key) || expected[key] != given[key])) return false;
  }
  return !expected.contains("max_memory") || (given.contains("max_memory") && sorted_budgets(expected["max_memory"]) ==
                                                                                  sorted_budgets(given["max_memory"]));
}

bool is_among(const json& expected, const json& given) {
  if (same(expected, given)) return true;
  if (!given.contains("set_order")) return false;
  const json& others = given["set_order"]["others"];
  json without_budgets = expected;
  without_budgets.erase("max_memory");
  without_budgets.erase("buffer_warning");
  return std::any_of(others.begin(), others.end(), [&](const json& other) { return same(without_budgets, other); });
}

TEST(RecordedCases, EveryAnswerIsOneOfTheLibrarys) {
  const json trees = read_file("trees.json");
  const json contexts = read_file("contexts.json");
  std::ifstream file(std::string(PLACEMENT_CASES_FOLDER) + "/cases.jsonl");
  std::stringstream requests;
  std::vector<json> cases;
  for (std::string line; std::getline(file, line);) {
    cases.push_back(json::parse(line));
    requests << complete(cases.back()["request"], trees, contexts).dump() << '\n';
  }
  ASSERT_GT(cases.size(), 300U);
  std::stringstream answers;
  std::stringstream errors;
  ASSERT_EQ(place(requests, answers, errors, {}), 0) << errors.str();
  for (const json& recorded : cases) {
    std::string line;
    ASSERT_TRUE(std::getline(answers, line)) << "no answer to " << recorded["request"]["id"];
    const json answer = json::parse(line);
    EXPECT_EQ(answer["id"], recorded["request"]["id"]);
    const json& expected = recorded["answers"];
    EXPECT_TRUE(
        std::any_of(expected.begin(), expected.end(), [&](const json& one) { return same(one, answer["result"]); }))
        << recorded["request"]["id"] << " " << recorded["request"]["entry"] << "\nexpected " << expected.dump()
        << "\ngiven    " << answer["result"].dump();
    // where the library gave several answers, all of them are named
    if (expected.size() > 1) {
      for (const json& one : expected) EXPECT_TRUE(is_among(one, answer["result"])) << recorded["request"]["id"];
    }
  }
}

}  // namespace
}  // namespace whyfail::cli
