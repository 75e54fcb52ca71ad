// Prints the machine description of a recording, of a description or of this machine, without the rest of the program:
// probe_dump probe --json [--machine FILE|DIR|SPEC]. For checking probes by hand and by script.
#include <cstdio>
#include <cstring>
#include <string>

#include "probes/sources.h"

int main(int count, char** arguments) {
  std::string machine;
  for (int i = 1; i + 1 < count; ++i) {
    if (std::strcmp(arguments[i], "--machine") == 0) machine = arguments[i + 1];
  }
  using namespace whyfail::probes;
  if (machine.empty()) {
    std::puts(machine_json(measure({})).c_str());
    return 0;
  }
  const auto answer = machine_from(machine);
  if (const auto* bad = std::get_if<BadDescription>(&answer)) {
    std::fprintf(stderr, "%s\n", bad->message.c_str());
    return 2;
  }
  std::puts(machine_json(std::get<Machine>(answer)).c_str());
  return 0;
}
