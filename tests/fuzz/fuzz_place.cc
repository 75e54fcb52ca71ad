// Placement requests, one a line: nothing crashes, and every line that is not empty gets one line of JSON back.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "cli/place_command.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  std::ostringstream out;
  std::ostringstream errors;
  if (whyfail::cli::place(in, out, errors, {}) != 0) std::abort();
  const std::string answers = out.str();
  if (!answers.empty() && (answers.front() != '{' || answers.back() != '\n')) std::abort();
  return 0;
}
