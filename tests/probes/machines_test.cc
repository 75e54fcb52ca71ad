// The recorded machines of tests/machines: each holds in expected.json the part of its description that must come out.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "probes/sources.h"

namespace whyfail::probes {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path folder = fs::path(WHYFAIL_SOURCE_DIR) / "tests" / "machines";

void compare(const Json& want, const Json& got, const std::string& path) {
  if (want.is_object() && got.is_object()) {
    for (const auto& [key, value] : want.items()) {
      if (got.contains(key)) {
        compare(value, got.at(key), path + "." + key);
      } else {
        ADD_FAILURE() << path << "." << key << " is missing, expected " << value;
      }
    }
  } else if (want.is_array() && got.is_array() && want.size() == got.size()) {
    for (std::size_t i = 0; i < want.size(); ++i) compare(want[i], got[i], path + "." + std::to_string(i));
  } else {
    EXPECT_EQ(want, got) << path;
  }
}

bool holds(const Json& json, const std::string& path) {
  const Json* current = &json;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    begin = end + 1;
    if (current->is_array()) {
      const std::size_t index = std::stoul(part);
      if (index >= current->size()) return false;
      current = &(*current)[index];
    } else {
      if (!current->is_object() || !current->contains(part)) return false;
      current = &current->at(part);
    }
  }
  return true;
}

class RecordedMachine : public testing::TestWithParam<std::string> {};

TEST_P(RecordedMachine, IsDescribedAsExpected) {
  const auto answer = machine_from((folder / GetParam()).string());
  ASSERT_TRUE(std::holds_alternative<Machine>(answer));
  const std::string text = machine_json(std::get<Machine>(answer));
  const Json got = Json::parse(text);
  Json want = Json::parse(std::ifstream(folder / GetParam() / "expected.json"));
  for (const Json& path : want.value("absent", Json::array())) {
    EXPECT_FALSE(holds(got, path.get<std::string>())) << path;
  }
  const Json reasons = want.value("unknown", Json::object());
  for (const auto& [group, words] : reasons.items()) {
    EXPECT_NE(got.at("unknown").at(group).get<std::string>().find(words.get<std::string>()), std::string::npos)
        << group;
  }
  want.erase("absent");
  want.erase("unknown");
  compare(want, got, "");
  for (const char* group : {"os", "memory"}) {
    if (got.contains(group)) {
      EXPECT_FALSE(got.at(group).value("origin", "").empty()) << group;
    }
  }
}

TEST_P(RecordedMachine, IsTheSameAfterItsDescriptionWasReadAgain) {
  const std::string first = machine_json(std::get<Machine>(machine_from((folder / GetParam()).string())));
  const fs::path file = fs::temp_directory_path() / ("whyfail-description-" + GetParam() + ".json");
  std::ofstream(file) << first;
  const auto again = machine_from(file.string());
  fs::remove(file);
  ASSERT_TRUE(std::holds_alternative<Machine>(again)) << std::get<BadDescription>(again).message;
  EXPECT_EQ(first, machine_json(std::get<Machine>(again)));
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) all.push_back(entry.path().filename().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, RecordedMachine, testing::ValuesIn(names()), [](const auto& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace whyfail::probes
