// Prints, as one JSON line a file, every call that the reader finds; compare_with_ast.py judges it with Python's ast.
// With --edits it reads requests from standard input instead (random_edits.py) and answers each with the edited text.
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "fixer/call/changes.h"
#include "fixer/call/python.h"

namespace {

using nlohmann::json;
using whyfail::fixer::Argument;
using whyfail::fixer::Call;
using whyfail::fixer::Script;

json call_as_json(const Call& call) {
  json arguments = json::array();
  for (const Argument& argument : call.arguments) {
    constexpr const char* kinds[] = {"positional", "keyword", "star", "double_star"};
    arguments.push_back(
        {kinds[static_cast<int>(argument.kind)], argument.name, argument.value.begin, argument.value.end});
  }
  return {call.range.begin, call.range.end, call.callee, arguments, call.complete, call.line};
}

int dump(int count, char** files) {
  for (int index = 0; index < count; ++index) {
    std::ifstream file(files[index], std::ios::binary);
    const Script script = Script::read({std::istreambuf_iterator<char>(file), {}});
    json calls = json::array();
    for (const Call& call : script.calls()) calls.push_back(call_as_json(call));
    std::cout << json{{"file", files[index]}, {"calls", calls}}.dump(-1, ' ', true, json::error_handler_t::replace)
              << "\n";
  }
  return 0;
}

// {"file", "begin", "end", "action", "name", "value"} → {"edits": [[begin, end, text]…]}
int edit() {
  std::string line;
  std::string current;
  Script script = Script::read("");
  while (std::getline(std::cin, line)) {
    const json request = json::parse(line);
    if (request["file"] != current) {
      current = request["file"];
      std::ifstream file(current, std::ios::binary);
      script = Script::read({std::istreambuf_iterator<char>(file), {}});
    }
    json answer = json::array();
    const auto call = script.call_at({request["begin"], request["end"]});
    const std::string action = request["action"];
    const std::string name = request["name"];
    const std::string value = request["value"];
    if (call) {
      const auto edits = action == "set"      ? set_argument(script, *call, name, value)
                         : action == "remove" ? remove_argument(script, *call, name)
                                              : rename_argument(script, *call, name, value);
      for (const auto& one : edits) answer.push_back({one.range.begin, one.range.end, one.text});
    }
    std::cout << json{{"edits", answer}, {"found", call.has_value()}}.dump(-1, ' ', true) << "\n";
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::string(arguments[1]) == "--edits") return edit();
  return dump(count - 1, arguments + 1);
}
