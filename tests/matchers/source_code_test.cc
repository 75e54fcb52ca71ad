// A message that a text only keeps (source, catalogues, fixtures, diffs) is no answer; one that a record or an answer
// of a server reports is.
#include "matchers/source_code.h"

#include <string>
#include <vector>

#include "matchers/reading.h"
#include "tests/matchers/written_patterns.h"

namespace whyfail::matchers {
namespace {

const std::string message = "The shelf for offloaded modules is full of boxes";

bool is_found(const std::string& text) {
  static const WrittenPatterns patterns({{"shelf-full", text_wording(message)}});
  return !read_paste(text, patterns).failures.empty();
}

TEST(SourceCode, ValuesOfKeysThatReportNothingAreSilent) {
  const std::vector<std::string> texts = {
      "ERRORS = {\n    \"no_folder\": \"" + message + "\",\n    \"other\": \"x\",\n}\n",
      "MESSAGES = {\"first\": \"" + message + "\", \"second\": \"x\"}\n",
      "{\"first\": \"" + message + "\", \"second\": \"x\"}\n",
      "[\n  {\n    \"name\": \"one\",\n    \"input\": \"ValueError: " + message + "\",\n    \"expected\": 1\n  }\n]\n",
      "en:\n  errors:\n    no_folder: \"" + message + "\"\n    other: \"x\"\n",
      "en:\n  shelf:\n    full: \"" + message + "\"\n",
      "en:\n  shelf:\n    no_place: >-\n      " + message + "\n    other: x\n",
      "export const errors = {\n  noFolder: \"" + message + "\",\n};\n",
      "msgid \"" + message + "\"\nmsgstr \"x\"\n",
      "def text(code):\n    return \"" + message + "\"\n",
      "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,3 @@\n ERRORS = {\n+    \"no_folder\": \"" + message + "\",\n }\n",
      "def load(path):\n    \"\"\"Loads.\n\n    Raises:\n        ValueError: " + message + "\n    \"\"\"\n",
      "{\n  \"expected_error\": \"" + message + "\"\n}\n",
  };
  for (const std::string& text : texts) EXPECT_FALSE(is_found(text)) << text;
}

TEST(SourceCode, ReportsInRecordsAreFound) {
  const std::vector<std::string> texts = {
      R"({"ts":"2025-01-01","level":"ERROR","error":"ValueError: )" + message + "\"}",
      R"({"time":"2025-01-01","level":"error","msg":")" + message + "\"}",
      "{\n  \"detail\": {\n    \"error\": \"ValueError\",\n    \"message\": \"" + message + "\"\n  }\n}\n",
      "{\n  \"error\": {\n    \"type\": \"ValueError\",\n    \"reason\": \"" + message + "\"\n  }\n}\n",
      "status: failed\nerror: \"ValueError: " + message + "\"\nattempts: 3\n",
      "terminated:\n  exitCode: 1\n  message: '" + message + "'\n  reason: Error\n",
      "terminated:\n  exitCode: 1\n  message: |-\n    " + message + "\n  reason: Error\n",
      "It says: \"" + message + "\"\n",
      "Ausgabe: \"" + message + "\"\n",
      "We tried again and got\n\n    " + message + "\n",
  };
  for (const std::string& text : texts) EXPECT_TRUE(is_found(text)) << text;
}

TEST(SourceCode, KeysOfReports) {
  for (const char* key : {"error", "errorMessage", "exc_info", "stderr", "failure_reason", "@message"}) {
    EXPECT_TRUE(names_report(key)) << key;
  }
  for (const char* key : {"input", "no_folder", "expected_error", "known_messages", "first"}) {
    EXPECT_FALSE(names_report(key)) << key;
  }
}

}  // namespace
}  // namespace whyfail::matchers
